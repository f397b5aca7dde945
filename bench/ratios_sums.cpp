// SPDX-License-Identifier: Apache-2.0

// What a client sums for a fit, each in one pass over its rows: cross-products of columns against BLAS, pairs against
// doubles, and products with all rows against only reading them.

#include <algorithm>

#include <fmt/format.h>

#include "bench/harness.hpp"
#include "bench/peers.hpp"
#include "bench/ratios.hpp"
#include "fedrk/generate.hpp"
#include "problem/cross_products.hpp"
#include "problem/frame_products.hpp"

namespace fedrk::bench {
namespace {

Frame frame_of(std::size_t cols, double centre) {
  return {std::vector<double>(cols, centre), std::vector<double>(cols, 0.5)};
}

void against_blas(std::size_t rows, std::size_t cols, const Settings& settings, Report& report) {
  const auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  const auto& matrix = std::get<Matrix>(problem.system.rows);
  const Frame frame = frame_of(cols, 0.1);
  std::vector<double> out(cols * cols);
  const auto times = shortest_times({{"fedrk", [&] { keep(cross_products(problem.system, &frame).data()); }},
                                     {"OpenBLAS", [&] { blas_cross_products(matrix, out); }}},
                                    settings.seconds);
  report.add(Ratio{fmt::format("cross-products with b, framed, {} x {}", rows, cols), "OpenBLAS dsyrk without b",
                   times[0] / 1e6, times[1] / 1e6, "ms", 1.0 / 0.45});
}

void pairs_against_doubles(std::size_t rows, std::size_t cols, const Settings& settings, Report& report) {
  const auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  const Frame frame = frame_of(cols, 0.1);
  Frame powers = frame;
  for (std::size_t j = 1; j < cols; ++j) powers.powers.push_back({j, 0, static_cast<unsigned>(j + 1)});
  const auto times = shortest_times({{"pairs", [&] { keep(cross_product_pairs(problem.system, &frame).data()); }},
                                     {"powers", [&] { keep(cross_product_pairs(problem.system, &powers).data()); }},
                                     {"doubles", [&] { keep(cross_products(problem.system, &frame).data()); }}},
                                    settings.seconds);
  const std::string what = fmt::format("cross-products as pairs, {} x {}", rows, cols);
  report.add(Ratio{what, "as doubles", times[0] / 1e6, times[2] / 1e6, "ms", 10.0});
  report.add(Ratio{what + " powers of a column", "as doubles", times[1] / 1e6, times[2] / 1e6, "ms"});
}

// A pass needs every row twice, first for its product with the vector: from memory, then from the cache that holds as
// many rows as are added up together.
double sum_out_of_second_cache(std::span<const double> numbers) {
  constexpr std::size_t kHeld = (std::size_t{1} << 19) / sizeof(double);
  double sum = 0.0;
  for (std::size_t i = 0; i < numbers.size(); i += kHeld) {
    sum += plain_sum(numbers.first(std::min(kHeld, numbers.size() - i)));
  }
  return sum;
}

void against_reading(std::size_t rows, std::size_t cols, const Settings& settings, Report& report) {
  const auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  const auto& matrix = std::get<Matrix>(problem.system.rows);
  const std::span<const double> numbers(matrix.row(0).data(), rows * matrix.stride());
  EigenSolver peer(matrix, problem.system.rhs);
  const Frame near = frame_of(cols, 0.1), far = frame_of(cols, 1000.0);
  const AlignedVector x(cols, 0.1);
  AlignedVector out(cols);
  double sum = 0.0, residual = 0.0;
  const auto times = shortest_times({{"product", [&] { keep(normal_product(problem.system, &near, x).data()); }},
                                     {"gradient", [&] { keep(gradient(problem.system, &near, x, &residual).data()); }},
                                     {"far", [&] { keep(normal_product(problem.system, &far, x).data()); }},
                                     {"reading", [&] { keep(&(sum = plain_sum(numbers))); }},
                                     {"again", [&] { keep(&(sum = sum_out_of_second_cache(numbers))); }},
                                     {"OpenBLAS", [&] { peer.two_blas_products(x, out); }}},
                                    settings.seconds);
  const std::string size = fmt::format(", {} x {}", rows, cols);
  report.add(Ratio{"product pass" + size, "reading the rows", times[0] / 1e6, times[3] / 1e6, "ms", 1.2});
  report.add(Ratio{"product pass" + size, "reading them from memory, then from the second cache", times[0] / 1e6,
                   (times[3] + times[4]) / 1e6, "ms"});
  report.add(Ratio{"product pass" + size, "two products by OpenBLAS", times[0] / 1e6, times[5] / 1e6, "ms"});
  report.add(Ratio{"gradient and residual" + size, "reading the rows", times[1] / 1e6, times[3] / 1e6, "ms"});
  report.add(
      Ratio{"product pass" + size + ", far from zero", "reading the rows", times[2] / 1e6, times[3] / 1e6, "ms"});
}

}  // namespace

void fit_sums(const Settings& settings, Report& report) {
  const std::size_t less = settings.quick ? 100 : 1;
  against_blas(100000 / less, 100, settings, report);
  against_blas(20000 / less, 1000 / less, settings, report);
  pairs_against_doubles(1000000 / less, 21, settings, report);
  against_reading(20000 / less, 1000, settings, report);
  against_reading(200000 / less, 100, settings, report);
}

}  // namespace fedrk::bench
