// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps in coefficient space, four at a time: how far each goes is worked out from the few numbers that it needs, then
// one pass moves all gaps by the four. A gap meets the steps in their order, so the bits are those of one step after
// another.

#include <cstddef>
#include <cstdint>

#include "linalg/simd/packs.hpp"

namespace fedrk::detail {
namespace {

template <std::size_t kSteps>
inline void gram_steps_at_once(const double* gram, std::size_t stride, std::size_t count, const std::uint32_t* drawn,
                               const std::uint32_t* ahead, double* gaps, double* coefficients) {
  const double* row[kSteps];
  const double* coming[kSteps];
  double by[kSteps];
  FEDRK_UNROLL
  for (std::size_t s = 0; s < kSteps; ++s) {
    const std::size_t j = drawn[s];
    row[s] = gram + j * stride;
    coming[s] = gram + ahead[s] * stride;
    const double inverse = 1.0 / row[s][j];  // waits for nobody, unlike the gap
    double gap = gaps[j];
    FEDRK_UNROLL
    for (std::size_t before = 0; before < s; ++before) gap -= by[before] * row[before][j];
    by[s] = gap * inverse;
    coefficients[j] += by[s];
  }
  packs_of(
      count,
      [&](std::size_t k, std::size_t i) {
        Pack moved = load(gaps + i);
        FEDRK_UNROLL
        for (std::size_t s = 0; s < kSteps; ++s) {
          if (k * kWidth % (kLine / sizeof(double)) == 0) __builtin_prefetch(coming[s] + i);
          moved -= by[s] * load(row[s] + i);
        }
        store(gaps + i, moved);
      },
      [&](std::size_t, std::size_t i, std::size_t rest) {
        for (std::size_t k = i; k < i + rest; ++k) {
          for (std::size_t s = 0; s < kSteps; ++s) gaps[k] -= by[s] * row[s][k];
        }
      });
}

void gram_steps(const double* gram, std::size_t stride, std::size_t count, const std::uint32_t* drawn,
                std::size_t steps, double* gaps, double* coefficients) {
  std::size_t s = 0;
  for (; s + 8 <= steps; s += 4) {
    gram_steps_at_once<4>(gram, stride, count, drawn + s, drawn + s + 4, gaps, coefficients);
  }
  for (; s < steps; ++s) gram_steps_at_once<1>(gram, stride, count, drawn + s, drawn + s, gaps, coefficients);
}

}  // namespace
}  // namespace fedrk::detail
