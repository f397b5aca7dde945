// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contests that `make bench` holds, each adding its lines to the report.

#include <filesystem>

#include "bench/report.hpp"

namespace fedrk::bench {

struct Settings {
  double seconds = 2.0;                 // for each contest
  double scale = 1.0;                   // of both sides of the file of fig1-large
  bool quick = false;                   // small sizes: shows that everything runs, not how fast
  std::filesystem::path scratch = ".";  // for files, removed afterwards
};

void dense_steps(const Settings& settings, Report& report);
void sparse_steps(const Settings& settings, Report& report);
void client_passes(const Settings& settings, Report& report);
void whole_runs(const Settings& settings, Report& report);
void large_file(const Settings& settings, Report& report);
void fit_sums(const Settings& settings, Report& report);
void csv_text(const Settings& settings, Report& report);
void many_clients(const Settings& settings, Report& report);
void growth(const Settings& settings, Report& report);

}  // namespace fedrk::bench
