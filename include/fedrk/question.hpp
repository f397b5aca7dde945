// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client may be asked to do with its rows in a round, and what it answers. FedRK needs the first
// two (steps.hpp), its extensions the two that follow and the last; a fit asks for gradients and products; the
// others serve the methods it is compared with. f_i is client i's loss, ||A_i x - b_i||^2 / 2. Where the columns of a
// fit are framed (problem/frame.hpp), A_i are the framed columns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "fedrk/steps.hpp"

namespace fedrk {

/// Local steps whose displacement comes with the gap of a hyperplane that holds every solution.
struct CutSteps {
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

/// The rows themselves (src/round/row_work.hpp). Needs no x.
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

/// The cross-products of rows z = (a, w b), each first shortened to the length c where it is longer, with Gaussian
/// noise and on the grid of multiples of 2^exponent (clipped_products.hpp). For answers under differential privacy.
/// Needs no x.
struct NoisyProducts {
  double bound = 0.0;         // c
  double rhs_weight = 1.0;    // w
  double noise = 0.0;         // standard deviation of this client's share
  std::int32_t exponent = 0;  // of the grid
  static constexpr auto fields(auto& self) { return std::tie(self.bound, self.rhs_weight, self.noise, self.exponent); }
};

/// The sum of squares of one column, one number. Needs no x. The example of docs/walk.md: how to add a question.
struct ColumnSquares {
  std::uint32_t column = 0;
  static constexpr auto fields(auto& self) { return std::tie(self.column); }
};

// ---- The table of questions: all that the program knows of a kind beside its fields. Engines, journal, masks and
// checks go by it, so a new kind is a struct above, a function that answers it, and a line at the end of the table.

class TaskRows;     // src/round/task_rows.hpp
struct LocalReply;  // engine.hpp

void answer(const FixedSteps& steps, TaskRows& rows, LocalReply& reply);
void answer(const ExactProjection& projection, TaskRows& rows, LocalReply& reply);
void answer(const CutSteps& steps, TaskRows& rows, LocalReply& reply);
void answer(const SparseSteps& steps, TaskRows& rows, LocalReply& reply);
void answer(const GradientSteps& steps, TaskRows& rows, LocalReply& reply);
void answer(const Gradient& work, TaskRows& rows, LocalReply& reply);
void answer(const NormalProduct& work, TaskRows& rows, LocalReply& reply);
void answer(const CrossProducts& work, TaskRows& rows, LocalReply& reply);
void answer(const Curvature& work, TaskRows& rows, LocalReply& reply);
void answer(const ColumnNorms& work, TaskRows& rows, LocalReply& reply);
void answer(const AllRows& work, TaskRows& rows, LocalReply& reply);
void answer(const ClippedPass& pass, TaskRows& rows, LocalReply& reply);
void answer(const ColumnSquares& work, TaskRows& rows, LocalReply& reply);
void answer(const NoisyProducts& work, TaskRows& rows, LocalReply& reply);

/// Of a client: m, n and the entries that are not zero.
struct WorkSize {
  double rows = 0.0, cols = 0.0, nonzeros = 0.0;
};

/// Which plans have a use for it in a masked run (methods/exposure.hpp).
enum class Use { Looks, Equations, Sparse, Fits, Refits, Private, None };

enum WorkTrait : unsigned {
  kAtX = 1,    // made from the vector that was sent
  kGap = 2,    // a gap comes with the answer
  kSteps = 4,  // divides by the squared lengths of rows
  kOwn = 8,    // has a use for numbers that go to one client alone
  kStays = 16  // within one machine: no client answers it over a network
};

template <class Kind>
struct QuestionKind {
  std::string_view name;
  unsigned traits;  // of WorkTrait
  Use use;
  std::size_t (*length)(const Kind&, std::size_t unknowns);  // of the answer; none: it depends on the rows
  double (*flops)(const Kind&, const WorkSize&);             // see `flops` below
  const char* (*wrong)(const Kind&, std::size_t unknowns);   // what makes no sense where a peer asks; empty: nothing
  void (*answer)(const Kind&, TaskRows&, LocalReply&);
};

namespace question {

template <class Kind>
std::size_t as_x(const Kind&, std::size_t unknowns) {
  return unknowns;
}
template <class Kind>
std::size_t one(const Kind&, std::size_t) {
  return 1;
}
std::size_t length(const FixedSteps& steps, std::size_t unknowns);
std::size_t length(const CrossProducts& products, std::size_t unknowns);
std::size_t length(const NoisyProducts& products, std::size_t unknowns);

template <int Times, class Kind>
double per_entry(const Kind&, const WorkSize& size) {
  return Times * size.nonzeros;
}
double flops(const FixedSteps& steps, const WorkSize& size);
double flops(const ExactProjection& projection, const WorkSize& size);
double flops(const CutSteps& steps, const WorkSize& size);
double flops(const SparseSteps& steps, const WorkSize& size);
double flops(const GradientSteps& steps, const WorkSize& size);
double flops(const CrossProducts& products, const WorkSize& size);
double flops(const ClippedPass& pass, const WorkSize& size);
double flops(const NoisyProducts& products, const WorkSize& size);

template <class Kind>
const char* fine(const Kind&, std::size_t) {
  return "";
}
const char* wrong(const FixedSteps& steps, std::size_t unknowns);
const char* wrong(const CutSteps& steps, std::size_t unknowns);
const char* wrong(const SparseSteps& steps, std::size_t unknowns);
const char* wrong(const GradientSteps& steps, std::size_t unknowns);
const char* wrong(const ClippedPass& pass, std::size_t unknowns);
const char* wrong(const NoisyProducts& products, std::size_t unknowns);
template <class Kind>
const char* no_such_column(const Kind& work, std::size_t unknowns) {
  return work.column < unknowns ? "" : "it names columns that are not there";
}

constexpr int kPowerSteps = 50;  // of a Curvature

/// A kind's place is its number in bytes: new ones come last.
inline constexpr std::tuple kTable{
    QuestionKind<FixedSteps>{"steps", kAtX | kSteps, Use::Looks, length, flops, wrong, answer},
    QuestionKind<ExactProjection>{"projection", kAtX | kSteps, Use::None, as_x, flops, fine, answer},
    QuestionKind<CutSteps>{"cut steps", kAtX | kGap | kSteps, Use::Equations, as_x, flops, wrong, answer},
    QuestionKind<SparseSteps>{"sparse steps", kAtX | kGap | kSteps, Use::Sparse, as_x, flops, wrong, answer},
    QuestionKind<GradientSteps>{"gradient steps", kAtX | kOwn, Use::None, as_x, flops, wrong, answer},
    QuestionKind<Gradient>{"gradient", kAtX, Use::Fits, as_x, per_entry<4>, fine, answer},
    QuestionKind<NormalProduct>{"normal product", kAtX, Use::Fits, as_x, per_entry<4>, fine, answer},
    QuestionKind<CrossProducts>{"cross-products", 0, Use::Fits, length, flops, fine, answer},
    QuestionKind<Curvature>{"curvature", 0, Use::None, one, per_entry<4 * kPowerSteps>, fine, answer},
    QuestionKind<ColumnNorms>{"column norms", 0, Use::Refits, as_x, per_entry<2>, fine, answer},
    QuestionKind<AllRows>{"all rows", kStays, Use::None, nullptr, per_entry<0>, fine, answer},
    QuestionKind<ClippedPass>{"clipped pass", kAtX | kSteps, Use::Private, as_x, flops, wrong, answer},
    QuestionKind<ColumnSquares>{"column squares", 0, Use::Refits, one, per_entry<2>, no_such_column, answer},
    QuestionKind<NoisyProducts>{"noisy products", 0, Use::Private, length, flops, wrong, answer},
};

template <class Kind>
constexpr const QuestionKind<Kind>& about(const Kind&) {
  return std::get<QuestionKind<Kind>>(kTable);
}

template <class... Kinds>
std::variant<Kinds...> variant_of(const std::tuple<QuestionKind<Kinds>...>&);

}  // namespace question

using LocalWork = decltype(question::variant_of(question::kTable));

LocalWork work_of(const StepBudget& budget);

/// In the words of the table.
std::string_view name_of(const LocalWork& work);

bool has_trait(const LocalWork& work, WorkTrait trait);
Use use_of(const LocalWork& work);

/// What is wrong with its numbers, where it comes from a peer; empty: nothing.
std::string_view wrong_work(const LocalWork& work, std::size_t unknowns);

/// True where the answer is made from the vector that was sent.
bool needs_x(const LocalWork& work);

/// How many numbers the answer holds; nothing where that depends on the rows.
std::optional<std::size_t> reply_length(const LocalWork& work, std::size_t unknowns);

/// The grid of an answer under differential privacy, which comes with its noise on it; nothing for other answers.
std::optional<std::int32_t> grid_of_noise(const LocalWork& work);

/// Whether the values of the answer are pairs of doubles that stand for their sum.
bool sends_pairs(const LocalWork& work);

/// Whether a gap comes with the answer.
bool sends_gap(const LocalWork& work);

/// Multiplications and additions of a client with that many rows and non-zeros. A row drawn at random counts with the
/// mean number of non-zeros. Local steps count as made on x, in whatever form a client makes them; what is made once (a
/// factorisation, inner products) is left out.
double flops(const LocalWork& work, std::size_t rows, std::size_t cols, std::size_t nonzeros);

}  // namespace fedrk
