// SPDX-License-Identifier: Apache-2.0

// How times grow with each size, all else equal.

#include <fmt/format.h>

#include "bench/harness.hpp"
#include "bench/ratios.hpp"
#include "experiments/support.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/site.hpp"
#include "round/server_step.hpp"

namespace fedrk::bench {
namespace {

double pass_time(std::size_t rows, std::size_t cols, std::uint64_t tau, double seconds) {
  auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  Client client(ClientId{0}, "site", RowBlock(std::move(problem.system)), 1);
  const AlignedVector x(cols, 0.1);
  std::uint32_t round = 0;
  const auto pass = [&] {
    const LocalTask task{RoundIndex{++round}, x, FixedSteps{tau}};
    keep(client.local_update(task).values.data());
  };
  return shortest_times({{"pass", pass}}, seconds)[0];
}

double server_time(std::size_t clients, std::size_t cols, std::uint64_t steps, double seconds) {
  std::vector<Hyperplane> planes;
  for (std::size_t i = 0; i < clients; ++i) {
    const auto delta = experiments::gaussian_vector(cols, 1 + i);
    planes.push_back(*hyperplane_from({delta.begin(), delta.end()}));
  }
  AlignedVector x(cols, 0.0);
  const ServerStep server(FixedSteps{steps}, RowSampling::Uniform);
  std::uint32_t round = 0;
  const auto step = [&] { server.project(planes, stream_for(1, Purpose::ServerSteps, RoundIndex{++round}), x); };
  return shortest_times({{"step", step}}, seconds)[0];
}

template <class TimeAt>
Growth grow(std::string what, std::string variable, std::vector<double> sizes, const TimeAt& time_at) {
  Growth growth{std::move(what), std::move(variable), std::move(sizes), {}};
  for (const double size : growth.sizes) growth.nanoseconds.push_back(time_at(static_cast<std::size_t>(size)));
  return growth;
}

}  // namespace

void growth(const Settings& settings, Report& report) {
  const double each = settings.seconds / 8.0;
  const bool quick = settings.quick;
  const auto sizes = [&](std::vector<double> full) {
    if (quick) full.resize(2);
    return full;
  };
  report.add(grow("pass of 128 rows, tau = 20", "n", sizes({256, 1024, 4096, 16384, 65536}),
                  [&](std::size_t n) { return pass_time(128, n, 20, each); }));
  report.add(grow("pass of 128 rows, tau = 1000", "n", sizes({256, 1024, 4096, 16384}),
                  [&](std::size_t n) { return pass_time(128, n, 1000, each); }));
  report.add(grow("pass, n = 1024, tau = 1000", "m_i", sizes({16, 64, 256, 1024, 4096}),
                  [&](std::size_t m) { return pass_time(m, 1024, 1000, each); }));
  report.add(grow("pass of 128 x 1024", "tau", sizes({10, 100, 1000, 10000, 100000}),
                  [&](std::size_t tau) { return pass_time(128, 1024, tau, each); }));
  report.add(grow("server step of 16 clients, tau_g = 20", "n", sizes({1024, 4096, 16384, 65536}),
                  [&](std::size_t n) { return server_time(16, n, 20, each); }));
  report.add(grow("server step of 16 clients, n = 4096", "tau_g", sizes({20, 100, 1000}),
                  [&](std::size_t steps) { return server_time(16, 4096, steps, each); }));
}

}  // namespace fedrk::bench
