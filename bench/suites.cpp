// SPDX-License-Identifier: Apache-2.0

// Single pieces under Google Benchmark, for work on one of them: `build/bin/fedrk_suites --benchmark_filter=dot`.

#include <algorithm>

#include <benchmark/benchmark.h>

#include "data/csv.hpp"
#include "experiments/support.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/site.hpp"
#include "kaczmarz/gram_steps.hpp"
#include "linalg/gram.hpp"
#include "linalg/instruction_set.hpp"
#include "problem/cross_products.hpp"
#include "problem/frame_products.hpp"
#include "round/server_step.hpp"

namespace fedrk::bench {
namespace {

// The last argument of every kernel is the instruction set, by its place among those of the machine.
void use_set(benchmark::State& state, std::int64_t place) {
  const auto sets = available_instruction_sets();
  if (place >= static_cast<std::int64_t>(sets.size())) return state.SkipWithError("not on this machine");
  use_instruction_set(sets[static_cast<std::size_t>(place)]);
  state.SetLabel(std::string(name_of(instruction_set())));
}

void set_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

template <class Number>
void dot_of_length(benchmark::State& state) {
  use_set(state, state.range(1));
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<Number> a(n, Number{1});
  const AlignedVector x(n, 2.0);
  for (auto _ : state) benchmark::DoNotOptimize(dot(std::span<const Number>(a), x));
  set_bytes(state, n * (sizeof(Number) + sizeof(double)));
}

template <class Number>
void axpy_dot_of_length(benchmark::State& state) {
  use_set(state, state.range(1));
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<Number> a(n, Number{1}), next(n, Number{2});
  const std::span<const Number> row(a), next_row(next);
  AlignedVector x(n, 2.0);
  for (auto _ : state) benchmark::DoNotOptimize(axpy_dot(1e-9, row, next_row, row, x));
  set_bytes(state, n * (2 * sizeof(Number) + 2 * sizeof(double)));
}

void gram_of_rows(benchmark::State& state) {
  use_set(state, state.range(1));
  const auto problem = generate({.rows = static_cast<std::size_t>(state.range(0)), .cols = 1024});
  for (auto _ : state) benchmark::DoNotOptimize(gram_matrix_of(std::get<Matrix>(problem.system.rows)));
}

void cross_products_of_columns(benchmark::State& state) {
  use_set(state, state.range(1));
  const auto problem = generate({.rows = 10000, .cols = static_cast<std::size_t>(state.range(0))});
  for (auto _ : state) benchmark::DoNotOptimize(cross_products(problem.system, nullptr));
}

void cross_product_pairs_of_columns(benchmark::State& state) {
  use_set(state, state.range(1));
  const auto problem = generate({.rows = 10000, .cols = static_cast<std::size_t>(state.range(0))});
  for (auto _ : state) benchmark::DoNotOptimize(cross_product_pairs(problem.system, nullptr));
}

void product_pass(benchmark::State& state) {
  use_set(state, state.range(1));
  const auto cols = static_cast<std::size_t>(state.range(0));
  const auto problem = generate({.rows = 2000000 / cols, .cols = cols});
  const AlignedVector x(cols, 0.1);
  for (auto _ : state) benchmark::DoNotOptimize(normal_product(problem.system, nullptr, x));
  set_bytes(state, 2000000 * sizeof(double));
}

void steps_in_coefficient_space(benchmark::State& state) {
  use_set(state, state.range(1));
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto problem = generate({.rows = rows, .cols = 1024});
  const Matrix gram = gram_matrix_of(std::get<Matrix>(problem.system.rows));
  const RowSampler sampler = RowSampler::uniform(std::vector<double>(rows, 1.0));
  RngStream stream = stream_for(1, Purpose::LocalSteps);
  std::vector<std::uint32_t> drawn(1000);
  sampler.draw(stream, drawn);
  AlignedVector gaps(rows), coefficients(rows, 0.0);
  for (auto _ : state) {
    std::ranges::fill(gaps, 1.0);  // they shrink with every step
    gram_steps(gram, drawn, gaps, coefficients);
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}

void draws(benchmark::State& state) {
  use_set(state, state.range(0));
  const RowSampler sampler = RowSampler::weighted(std::vector<double>(2048, 1.5));
  RngStream stream = stream_for(1, Purpose::LocalSteps);
  std::vector<std::uint32_t> rows(1000);
  for (auto _ : state) sampler.draw(stream, rows);
  state.SetItemsProcessed(state.iterations() * 1000);
}

void client_pass(benchmark::State& state, LocalForm form) {
  auto problem = generate({.rows = static_cast<std::size_t>(state.range(0)), .cols = 1024});
  Client client(ClientId{0}, "site", RowBlock(std::move(problem.system)), 1, {.form = form});
  const AlignedVector x(1024, 0.1);
  std::uint32_t round = 0;
  for (auto _ : state) {
    const FixedSteps steps{static_cast<std::uint64_t>(state.range(1))};
    benchmark::DoNotOptimize(client.local_update({RoundIndex{++round}, x, steps}));
  }
}
void direct_pass(benchmark::State& state) { client_pass(state, LocalForm::Direct); }
void gram_pass(benchmark::State& state) { client_pass(state, LocalForm::Gram); }

void server_step(benchmark::State& state) {
  std::vector<Hyperplane> planes;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const auto delta = experiments::gaussian_vector(1024, static_cast<std::uint64_t>(i + 1));
    planes.push_back(*hyperplane_from({delta.begin(), delta.end()}));
  }
  AlignedVector x(1024, 0.0);
  const ServerStep server(FixedSteps{20}, RowSampling::Uniform);
  for (auto _ : state) server.project(planes, stream_for(1, Purpose::ServerSteps), x);
}

void csv_text(benchmark::State& state) {
  std::string text = "a,b,c,d,e,f,g,y\n";
  const auto numbers = experiments::gaussian_vector(80000, 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) text += std::to_string(numbers[i]) + (i % 8 == 7 ? '\n' : ',');
  for (auto _ : state) benchmark::DoNotOptimize(io::read_csv_text(text, "text", {"y", {}, {}, {}}));
  set_bytes(state, text.size());
}

const std::vector<std::int64_t> kLengths{64, 1024, 16384}, kSets{0, 1, 2};
BENCHMARK(dot_of_length<double>)->ArgsProduct({kLengths, kSets});
BENCHMARK(dot_of_length<float>)->ArgsProduct({kLengths, kSets});
BENCHMARK(axpy_dot_of_length<double>)->ArgsProduct({kLengths, kSets});
BENCHMARK(axpy_dot_of_length<float>)->ArgsProduct({kLengths, kSets});
BENCHMARK(gram_of_rows)->ArgsProduct({{16, 128}, kSets});
BENCHMARK(cross_products_of_columns)->ArgsProduct({{20, 100}, kSets});
BENCHMARK(cross_product_pairs_of_columns)->ArgsProduct({{20}, kSets});
BENCHMARK(product_pass)->ArgsProduct({{20, 100, 1000}, kSets});
BENCHMARK(steps_in_coefficient_space)->ArgsProduct({{16, 128, 512}, kSets});
BENCHMARK(draws)->ArgsProduct({kSets});
BENCHMARK(direct_pass)->ArgsProduct({{16, 128, 1024}, {1, 20, 1000}});
BENCHMARK(gram_pass)->ArgsProduct({{16, 128, 1024}, {1, 20, 1000}});
BENCHMARK(server_step)->Arg(5)->Arg(16)->Arg(100);
BENCHMARK(csv_text);

}  // namespace
}  // namespace fedrk::bench

BENCHMARK_MAIN();
