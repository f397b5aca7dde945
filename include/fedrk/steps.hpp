// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many Kaczmarz steps are made, on which rows, and in which form.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <variant>

namespace fedrk {

/// tau (or tau_g) randomized Kaczmarz steps. None at all asks a client only for its residual.
struct FixedSteps {
  std::uint64_t count = 0;
  friend bool operator==(const FixedSteps&, const FixedSteps&) = default;
  static constexpr auto fields(auto& self) { return std::tie(self.count); }
};

/// tau = infinity: the exact projection, which the steps would reach in the limit.
struct ExactProjection {
  friend bool operator==(const ExactProjection&, const ExactProjection&) = default;
  static constexpr auto fields(auto&) { return std::tie(); }
};

using StepBudget = std::variant<FixedSteps, ExactProjection>;

/// The order in which steps use the rows.
enum class RowSampling {
  SquaredNorm,  // independent draws in proportion to the squared norms
  Uniform,      // independent draws, every row equally likely
  Shuffled,     // every row once in a pass, reshuffled: whatever the lengths of the rows
  Greedy,       // the row whose hyperplane is farthest, which nothing draws
};

/// Steps on x itself, or in coefficient space, which first needs the inner products of the rows; Auto: by the sizes.
enum class LocalForm { Auto, Direct, Gram };

/// How a client makes its steps: part of a plan, as each choice shows in the bits of the result.
struct StepOptions {
  RowSampling sampling = RowSampling::SquaredNorm;
  LocalForm form = LocalForm::Auto;
  std::size_t gram_memory = std::size_t{256} << 20;  // bytes that the inner products of the rows may take

  /// Greedy steps look at every gap in every step, which only coefficient space has.
  bool needs_gram() const { return form == LocalForm::Gram || sampling == RowSampling::Greedy; }
  bool gram_fits(std::size_t rows) const {
    return 8.0 * static_cast<double>(rows) * static_cast<double>(rows) <= static_cast<double>(gram_memory);
  }
};

}  // namespace fedrk
