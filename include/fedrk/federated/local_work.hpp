// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client may be asked to do with its rows in a round, and what it answers. The published FedRK needs the first
// two (step_budget.hpp), its extensions the two that follow and the last; a fit asks for gradients and products; the
// others serve the methods it is compared with. f_i is client i's loss, ||A_i x - b_i||^2 / 2. Where the columns of a
// fit are framed (problem/frame.hpp), A_i are the framed columns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include "fedrk/federated/step_budget.hpp"
#include "fedrk/linalg/aligned_vector.hpp"
#include "fedrk/problem/row_block.hpp"
#include "fedrk/random/rng_stream.hpp"

namespace fedrk {

/// Local steps whose displacement comes with the gap of a hyperplane that holds every solution.
struct ValidSteps {
  StepBudget budget = FixedSteps{20};
  static constexpr auto fields(auto& self) { return std::tie(self.budget); }
};

/// Steps of the sparse Kaczmarz method: v += (b_j - <a_j, x>)/||a_j||^2 a_j with x = soft(v, lambda)
/// (soft_threshold.hpp), from the v that was sent. The answer is how far v moved, with the gap at x.
struct SparseSteps {
  FixedSteps budget{20};
  double lambda = 0.0;
  static constexpr auto fields(auto& self) { return std::tie(self.budget, self.lambda); }
};

/// y <- y - step (grad f_i(y)/w + proximal (y - x) + own), `count` times from y = x; the answer is y - x. `own` is what
/// the client alone was sent, if anything. With `batch` set, each step sees so many rows drawn uniformly: a batch of
/// one costs what a Kaczmarz step does, and is one for step = 1/||a_j||^2.
struct GradientSteps {
  enum class Loss : std::uint8_t { Mean, Sum };  // w = m_i, or 1; a batch stands for all rows in both
  friend constexpr std::array<Loss, 2> enumerators(Loss) { return {Loss::Mean, Loss::Sum}; }

  std::uint64_t count = 1;
  double step = 0.0;
  double proximal = 0.0;
  Loss loss = Loss::Mean;
  std::uint64_t batch = 0;  // 0: all rows
  static constexpr auto fields(auto& self) {
    return std::tie(self.count, self.step, self.proximal, self.loss, self.batch);
  }
};

/// -grad f_i(x) = A_i^T (b_i - A_i x)
struct Gradient {
  static constexpr auto fields(auto&) { return std::tie(); }
};

/// A_i^T A_i x
struct NormalProduct {
  static constexpr auto fields(auto&) { return std::tie(); }
};

/// The cross-products of columns and right-hand side, Z^T Z for Z = [A_i b_i]: the upper triangle, row after row,
/// (n + 1)(n + 2)/2 numbers. As pairs each is an unevaluated sum of two doubles, one after the other, and so are their
/// sums. Needs no x.
struct CrossProducts {
  bool pairs = false;
  static constexpr auto fields(auto& self) { return std::tie(self.pairs); }
};

/// One number, the largest eigenvalue of A_i^T A_i, to about two percent, from below. Needs no x.
struct Curvature {
  static constexpr auto fields(auto&) { return std::tie(); }
};

/// The squared length of every column. Needs no x.
struct ColumnNorms {
  static constexpr auto fields(auto&) { return std::tie(); }
};

/// The rows themselves, see pooled_rows.hpp. Needs no x.
struct AllRows {
  static constexpr auto fields(auto&) { return std::tie(); }
};

/// One pass of Kaczmarz steps in a random order, none longer than `clip`, and Gaussian noise: the displacement and the
/// noise on the grid of multiples of 2^exponent (clipped_pass.hpp). For answers under differential privacy.
struct ClippedPass {
  std::uint64_t steps = 0;    // rows used, each at most once; 0: all
  double clip = 0.0;          // c
  double noise = 0.0;         // standard deviation of this client's share
  std::int32_t exponent = 0;  // of the grid
  static constexpr auto fields(auto& self) { return std::tie(self.steps, self.clip, self.noise, self.exponent); }
};

using LocalWork = std::variant<FixedSteps, UntilProjected, ValidSteps, SparseSteps, GradientSteps, Gradient,
                               NormalProduct, CrossProducts, Curvature, ColumnNorms, AllRows, ClippedPass>;

LocalWork work_of(const StepBudget& budget);

/// True where the answer is made from the vector that was sent.
bool needs_x(const LocalWork& work);

/// How many numbers the answer holds; nothing where that depends on the rows.
std::optional<std::size_t> reply_length(const LocalWork& work, std::size_t unknowns);

/// Whether the values of the answer are pairs of doubles that stand for their sum.
bool sends_pairs(const LocalWork& work);

/// Whether a gap comes with the answer.
bool sends_gap(const LocalWork& work);

/// Multiplications and additions of a client with that many rows and non-zeros. A row drawn at random counts with the
/// mean number of non-zeros. Local steps count as made on x, in whatever form a client makes them; what is made once (a
/// factorisation, inner products) is left out.
double flops(const LocalWork& work, std::size_t rows, std::size_t cols, std::size_t nonzeros);

// ---- The work that is a function of rows and x alone.

void gradient_steps(const GradientSteps& work, const RowBlock& block, std::span<const double> own, RngStream stream,
                    std::span<double> x);
double curvature(const RowBlock& block);
AlignedVector column_norms(const RowBlock& block);

}  // namespace fedrk
