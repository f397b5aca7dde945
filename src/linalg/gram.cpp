// SPDX-License-Identifier: Apache-2.0
#include "linalg/gram.hpp"

#include <algorithm>
#include <vector>

#include "linalg/simd/kernel_table.hpp"

namespace fedrk {
namespace {

void mirror_upper_triangle(Matrix& gram) {
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) gram.row(i)[j] = gram.row(j)[i];
  }
}

// Stretches of kDepth entries, whose partial products are added in order; within one, a panel of kPanel rows (half a
// megabyte) stays in the second cache while a strip of kStrip rows at a time meets it from the first.
template <class Number>
Matrix dense_gram(std::span<const std::span<const Number>> rows) {
  constexpr std::size_t kDepth = 1024, kPanel = 64, kStrip = 4;
  const std::size_t m = rows.size(), n = m == 0 ? 0 : rows[0].size();
  std::vector<const Number*> row(m);
  for (std::size_t i = 0; i < m; ++i) {
    FEDRK_EXPECTS(rows[i].size() == n);
    row[i] = rows[i].data();
  }
  Matrix gram(m, m);
  const auto& kernels = detail::row_kernels<Number>();
  for (std::size_t first = 0; first < n; first += kDepth) {
    const std::size_t last = std::min(n, first + kDepth);
    for (std::size_t right = 0; right < m; right += kPanel) {
      const std::size_t right_end = std::min(m, right + kPanel);
      for (std::size_t left = 0; left < right_end; left += kStrip) {
        // On the diagonal a strip may reach below it; the mirror writes over that.
        const std::size_t left_count = std::min(kStrip, right_end - left), from = std::max(right, left);
        kernels.add_products(&row[left], left_count, &row[from], right_end - from, first, last,
                             gram.row(left).data() + from, gram.stride());
      }
    }
  }
  mirror_upper_triangle(gram);
  return gram;
}

// Row i is spread out once; every other row then meets it in its own non-zeros.
template <class Number>
Matrix sparse_gram(std::span<const BasicSparseRow<Number>> rows, std::size_t cols) {
  Matrix gram(rows.size(), rows.size());
  std::vector<double> spread(cols, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    axpy(1.0, rows[i], spread);
    for (std::size_t j = i; j < rows.size(); ++j) gram.row(i)[j] = dot(rows[j], spread);
    for (const std::uint32_t column : rows[i].columns) spread[column] = 0.0;
  }
  mirror_upper_triangle(gram);
  return gram;
}

}  // namespace

Matrix gram_matrix(std::span<const std::span<const double>> rows) { return dense_gram(rows); }
Matrix gram_matrix(std::span<const std::span<const float>> rows) { return dense_gram(rows); }
Matrix gram_matrix(std::span<const SparseRow> rows, std::size_t cols) { return sparse_gram(rows, cols); }
Matrix gram_matrix(std::span<const SparseRow32> rows, std::size_t cols) { return sparse_gram(rows, cols); }

}  // namespace fedrk
