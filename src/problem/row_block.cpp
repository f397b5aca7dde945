// SPDX-License-Identifier: Apache-2.0
#include "fedrk/row_block.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "fedrk/error.hpp"
#include "linalg/kernels.hpp"
#include "problem/rescale.hpp"

namespace fedrk {
namespace {

// Sums of up to 2^100 such squares, and products of two such norms, are still ordinary numbers.
constexpr double kSmallestSquare = 0x1.0p-900;
constexpr double kLargestSquare = 0x1.0p+900;

// Also as floats.
constexpr double kPlainSmallest = 0x1.0p-60, kPlainLargest = 0x1.0p60;

bool is_plain(double value, double smallest) {
  return std::abs(value) <= kPlainLargest && std::abs(value) >= smallest;  // false for what is not a number
}

}  // namespace

std::size_t silence_unusable_rows(LinearSystem& system) {
  std::size_t silenced = 0;
  std::visit(
      [&](auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          const auto row = std::as_const(matrix).values(i);
          const double largest = all_finite(row) ? largest_entry(row) : kLargestSquare;
          const bool usable =
              largest == 0.0 ? system.rhs[i] == 0.0 : is_plain(largest, kPlainSmallest) && is_plain(system.rhs[i], 0.0);
          if (usable) continue;
          std::ranges::fill(matrix.values(i), 0);
          system.rhs[i] = 0.0;
          ++silenced;
        }
      },
      system.rows);
  return silenced;
}

RowBlock::RowBlock(LinearSystem system, RowUse use) : system_(std::move(system)), use_(use) {
  if (row_count(system_.rows) != system_.rhs.size()) {
    throw InvalidArgument("a block of " + std::to_string(row_count(system_.rows)) +
                          " rows needs as many right-hand sides, not " + std::to_string(system_.rhs.size()));
  }
  squared_norms_.resize(rows());
  std::size_t entries = 0;
  std::visit(
      [&](auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          const auto row = std::as_const(matrix).values(i);
          entries += row.size();
          squared_norms_[i] = squared_norm(row);
          // So of nearly every row: then all its entries are finite, and one look at it was enough.
          if (squared_norms_[i] >= kSmallestSquare && squared_norms_[i] <= kLargestSquare) continue;
          if (!all_finite(row)) {
            throw InvalidArgument("row " + std::to_string(i + 1) + " holds a number that is not finite");
          }
          const double largest = largest_entry(row);
          if (use_ == RowUse::Sums && largest > 0.0) continue;
          if (largest == 0.0) {
            if (system_.rhs[i] != 0.0 && use_ == RowUse::Steps) {
              throw InvalidArgument("row " + std::to_string(i + 1) +
                                    " is zero but its right-hand side is not: no x satisfies it");
            }
            ++zero_rows_;
            squared_norms_[i] = 0.0;
            continue;
          }
          rescale(matrix.values(i), largest, system_.rhs[i]);  // of a view: of a copy from here on
          squared_norms_[i] = squared_norm(std::as_const(matrix).values(i));
          ++rescaled_rows_;
        }
      },
      system_.rows);

  if (rows() > 0) entries_per_row_ = static_cast<double>(entries) / static_cast<double>(rows());
  check_rhs();
  double total = 0.0;
  for (const double square : squared_norms_) total += square;
  const auto largest = std::ranges::max_element(squared_norms_);
  if (rows() > 2 && *largest > 0.5 * total) {
    dominant_row_ = static_cast<std::size_t>(largest - squared_norms_.begin());
  }
}

void RowBlock::check_rhs() {
  squared_rhs_norm_ = squared_norm(system_.rhs);
  if (squared_rhs_norm_ <= kLargestSquare) return;
  const auto size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto worst = std::ranges::max_element(system_.rhs, size);
  throw InvalidArgument("row " + std::to_string(worst - system_.rhs.begin() + 1) +
                        " asks for an x beyond the range of numbers: with entries of size one its right-hand side is " +
                        "too large to be squared");
}

}  // namespace fedrk
