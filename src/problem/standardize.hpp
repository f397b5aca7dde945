// SPDX-License-Identifier: Apache-2.0
#pragma once

// Features on a common scale without pooling rows.
//
// Every client sends the sums of its columns, the server answers with the means; every client sends the sums of squared
// distances from them, the server answers with the scales. Two short vectors per client, no row. A client then replaces
// column j by (column - centre_j) / scale_j, where scale_j is the root mean square of what stands in the numerator.
//
// Centring needs an intercept to take up the constant, and fills a sparse matrix; without an intercept, or where any
// client's rows are sparse, the centres are zero.

#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "fedrk/system.hpp"

namespace fedrk {

/// One client's part of a sum over everyone's rows: what standardising lets the server see.
struct ColumnSums {
  std::size_t rows = 0;
  std::vector<double> sums;
};

struct Scaling {
  std::vector<double> centre;
  std::vector<double> scale;  // 0 marks a column without spread: it is set to zero, and so is its coefficient
  static constexpr auto fields(auto& self) { return std::tie(self.centre, self.scale); }
};

enum class Centring { None, ByMean };

ColumnSums column_sums(const LinearSystem& system);
ColumnSums column_square_sums(const LinearSystem& system, std::span<const double> centre);

/// Adds up the clients' parts, in client order, over the number of all rows.
std::vector<double> column_means(std::span<const ColumnSums> parts);

/// The server's part of the exchange: the centres from the means, then the scales from the mean squared distances from
/// them. The first `fixed` columns (an intercept) are left alone. `scaling_from` throws InvalidArgument where a column
/// is too large to be squared.
std::vector<double> centre_from(std::span<const double> means, Centring centring, std::size_t fixed);
Scaling scaling_from(std::vector<double> centre, std::span<const double> means, std::vector<double> mean_squares,
                     std::size_t fixed);

void apply(const Scaling& scaling, LinearSystem& system);

/// The whole exchange for clients in one process: sums, means, squares, scales, and each client scales its rows. Throws
/// as `scaling_from`.
Scaling standardize(std::span<LinearSystem> clients, Centring centring, std::size_t fixed);

/// Coefficients of the columns as they were before: x_j / scale_j, and, where there is an intercept (`fixed` = 1), the
/// constant that the centres leave added to it.
std::vector<double> in_data_units(const Scaling& scaling, std::span<const double> x, std::size_t fixed);

}  // namespace fedrk
