// SPDX-License-Identifier: Apache-2.0
#pragma once

// One experiment, of the paper or beyond it: it runs, and tells what came out as figures, tables and verdicts.
//
// A verdict is computed from the numbers of the run that stands beside it, so it can fail. An experiment knows nothing
// of files, pages or terminals; `findings_files.hpp` and `page.hpp` present what it found.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/plot/svg_plot.hpp"

namespace fedrk::experiments {

struct Settings {
  bool quick = false;  // at reduced size, in seconds
  double scale = 1.0;  // of fig1-large: both sides of its matrix are multiplied by it
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: all cores
};

/// Told now and then how much of the experiment is done, 0 to 1, and what it is doing.
using Progress = std::function<void(double share, std::string_view doing)>;

struct Figure {
  std::string name;     // of its file: "fig3-horizon" becomes fig3-horizon.svg
  std::string caption;  // what the picture shows, for someone who has not read the paper
  std::variant<io::LinePlot, io::BarChart> plot;
};

/// The numbers behind a figure, one CSV file.
struct Table {
  std::string name;  // of its file, without ".csv"
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // numbers in full precision, by io::to_text
};

struct Judgement {
  bool holds = false;
  std::string message;  // the claim and the measured numbers: "more local steps converge faster: 636, 385, 274 rounds"
};

struct Findings {
  std::string name{};    // "fig1"
  std::string title{};   // "More local steps, fewer rounds"
  std::string set_up{};  // the sizes and options that were run, in words
  std::vector<Judgement> judgements{};
  std::vector<Figure> figures{};
  std::vector<Table> tables{};
  std::vector<std::string> notes{};  // what a reader should know and no verdict says

  bool holds() const {
    for (const Judgement& judgement : judgements) {
      if (!judgement.holds) return false;
    }
    return !judgements.empty();
  }
};

struct Experiment {
  std::string_view name;
  std::string_view about;  // one line for a list
  double weight;           // share of the time that all take, roughly in seconds at full size
  Findings (*run)(const Settings&, const Progress&);
};

/// All of them, in the order of the paper, then what goes beyond it.
std::span<const Experiment> all_experiments();

Findings fig1(const Settings& settings, const Progress& progress);
Findings fig1_baselines(const Settings& settings, const Progress& progress);
Findings fig1_large(const Settings& settings, const Progress& progress);
Findings fig2(const Settings& settings, const Progress& progress);
Findings fig3(const Settings& settings, const Progress& progress);
Findings fig4(const Settings& settings, const Progress& progress);
Findings theory(const Settings& settings, const Progress& progress);
Findings beyond(const Settings& settings, const Progress& progress);

}  // namespace fedrk::experiments
