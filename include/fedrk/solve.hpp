// SPDX-License-Identifier: Apache-2.0
#pragma once

// A x = b whose rows have several owners, in memory that the caller keeps. It is what `fedrk solve` does, with the same
// defaults and to the same bits.
//
//     const auto solution = fedrk::solve({{fedrk::view(A1, m1, n), b1}, {fedrk::view(A2, m2, n), b2}});

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/error.hpp"
#include "fedrk/method.hpp"
#include "fedrk/run.hpp"
#include "fedrk/stop_signal.hpp"

namespace fedrk {

/// Rows of doubles in somebody else's memory; row i begins at data + i * stride.
struct MatrixView {
  const double* data = nullptr;
  std::size_t rows = 0, cols = 0, stride = 0;
};

/// Row after row.
inline MatrixView view(const double* data, std::size_t rows, std::size_t cols) { return {data, rows, cols, cols}; }
/// Rows that begin `stride` numbers apart.
inline MatrixView view(const double* data, std::size_t rows, std::size_t cols, std::size_t stride) {
  return {data, rows, cols, stride};
}
/// As many rows as there are numbers for. Throws InvalidArgument where some are left over.
MatrixView view(std::span<const double> values, std::size_t cols);

/// An Eigen matrix, map or block of doubles. It must be stored by rows: Eigen's own default is by columns, so declare
/// it Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>.
template <class Dense>
requires requires(const Dense& A) {
  { A.data() } -> std::convertible_to<const double*>;
  A.outerStride();
  Dense::IsRowMajor;
}
MatrixView view(const Dense& A) {
  static_assert(Dense::IsRowMajor, "fedrk reads matrices row by row: store this one with Eigen::RowMajor");
  return {A.data(), static_cast<std::size_t>(A.rows()), static_cast<std::size_t>(A.cols()),
          static_cast<std::size_t>(A.outerStride())};
}

/// A vector in somebody else's memory: std::vector, std::span, std::array, an Eigen vector.
struct VectorView {
  const double* data = nullptr;
  std::size_t size = 0;

  VectorView(const double* values, std::size_t count) : data(values), size(count) {}
  template <class Vector>
  requires requires(const Vector& v) {
    { v.data() } -> std::convertible_to<const double*>;
    v.size();
  }
  VectorView(const Vector& v) : data(v.data()), size(static_cast<std::size_t>(v.size())) {}  // NOLINT: implicit
};

/// The rows of one owner. They are read where they are, and never written.
struct System {
  MatrixView A;
  VectorView b;
  std::string name{};  // what the owner draws depends on it; empty: client-1, client-2, ... as `fedrk solve --clients`
};

struct SolveSettings {
  bool least_squares = false;               // the x of least squares, where the equations contradict each other
  double ridge = 0.0;                       // lambda of the penalty lambda |x|^2
  std::size_t participants = 0;             // owners asked in a round; 0: all
  std::optional<std::uint32_t> rounds{};    // at most; unset: 1000
  std::optional<double> tolerance{};        // of the relative residual |b - A x| / |b|; unset: 1e-8
  std::size_t threads = 0;                  // 0: all cores
  std::uint64_t seed = 1;                   // one seed gives the same x, to the bit
  std::vector<RoundObserver*> observers{};  // see every round, and x after it
  const StopSignal* stop = nullptr;         // ends the run after the round at hand
};

class Solution {
 public:
  Solution() = default;
  explicit Solution(std::string summary) : summary_(std::move(summary)) {}

  std::vector<double> x;
  bool converged = false;
  RunStatus status = RunStatus::Completed;
  std::string stop_reason;  // in words
  std::string method;
  std::optional<double> relative_residual;  // over all rows
  std::vector<std::string> warnings;
  std::size_t rounds = 0;
  RunHistory history;

  /// What `fedrk solve` prints.
  const std::string& summary() const { return summary_; }

 private:
  std::string summary_;
};

/// The x that satisfies the equations of all owners; of several that with the least length. The memory must stay as it
/// is until the call returns. Throws InvalidArgument where settings or sizes do not fit each other, and InvalidData for
/// numbers that are not finite and equations that no x satisfies.
Solution solve(const std::vector<System>& systems, const SolveSettings& settings = {});

/// The same rounds with a method of one's own (fedrk/method.hpp), which sees columns scaled by powers of two where
/// their lengths differ much; x is in the units of the data.
Solution solve(const std::vector<System>& systems, Method& method, const SolveSettings& settings = {});

}  // namespace fedrk
