// SPDX-License-Identifier: Apache-2.0

// fedrk reproduce: the experiments of the paper, with figures, numbers and verdicts.

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "experiments/experiment.hpp"
#include "experiments/findings_files.hpp"
#include "experiments/page.hpp"
#include "fedrk/base/error.hpp"
#include "fedrk/io/number.hpp"
#include "fedrk/io/write_file.hpp"
#include "help.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "reproduce_display.hpp"
#include "threads_flag.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using experiments::Experiment;
using experiments::Finished;
using experiments::Settings;
using experiments::Verdict;

constexpr std::string_view kScaled = "fig1-large";  // the one experiment that --scale concerns

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string out;
  bool quick = false;
  std::string scale;  // the numbers as text: number.hpp reads them
  std::string seed;
  std::string threads;
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

// ---- What was asked for.

std::string valid_names() {
  std::string names;
  for (const Experiment& experiment : experiments::all_experiments()) names += std::string(experiment.name) + ", ";
  return names + "all";
}

// Each once, in the order of the paper.
Result<std::vector<const Experiment*>> chosen_from(const std::vector<std::string>& names) {
  const auto all = experiments::all_experiments();
  for (const std::string& name : names) {
    if (name != "all" && std::ranges::find(all, name, &Experiment::name) == all.end()) {
      return Error{fmt::format("no experiment '{}'; there are {}", name, valid_names())};
    }
  }
  const auto given = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  std::vector<const Experiment*> chosen;
  for (const Experiment& experiment : all) {
    if (names.empty() || given("all") || given(experiment.name)) chosen.push_back(&experiment);
  }
  return chosen;
}

Result<Settings> settings_from(const ReproduceArguments& arguments, const std::vector<const Experiment*>& chosen) {
  Settings settings{.quick = arguments.quick};
  if (!arguments.scale.empty()) {
    const auto scale = io::parse_number(arguments.scale);
    if (!scale || !(*scale > 0.0 && *scale <= 1.0)) {
      return Error{fmt::format("--scale: expected a number above 0 and at most 1, found '{}'", arguments.scale)};
    }
    if (std::ranges::find(chosen, kScaled, &Experiment::name) == chosen.end()) {
      return Error{fmt::format("--scale concerns {} only, which is not among the experiments asked for", kScaled)};
    }
    settings.scale = *scale;
  }
  if (!arguments.seed.empty()) {
    const auto seed = io::parse_whole(arguments.seed);
    if (!seed) return Error{fmt::format("--seed: {}", seed.error().message)};
    settings.seed = *seed;
  }
  const auto threads = thread_count(arguments.threads);
  if (!threads) return threads.error();
  settings.threads = *threads;
  return settings;
}

// ---- The run.

// What an experiment cannot do is a verdict against it, not the end of the others.
Finished run_one(const Experiment& experiment, const Settings& settings, const experiments::Progress& progress) {
  Finished finished{.findings = {}, .settings = settings, .version = std::string(experiments::version())};
  const auto fail = [&](const std::string& why) {
    finished.findings = {.name = std::string(experiment.name),
                         .title = std::string(experiment.about),
                         .set_up = "",
                         .verdicts = {{false, "the experiment ended early: " + why}},
                         .figures = {},
                         .tables = {},
                         .notes = {}};
  };
  const auto start = std::chrono::steady_clock::now();
  try {
    finished.findings = experiment.run(settings, progress);
  } catch (const std::bad_alloc&) {
    fail(experiment.name == kScaled ? "not enough memory; --scale makes it smaller" : "not enough memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  finished.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return finished;
}

// The findings of this run, and between them those that an earlier run left in the folder.
std::vector<Finished> with_earlier(const fs::path& folder, std::span<const Finished> fresh) {
  std::vector<Finished> all;
  for (const Experiment& experiment : experiments::all_experiments()) {
    const auto same = [&](const Finished& finished) { return finished.findings.name == experiment.name; };
    const auto found = std::ranges::find_if(fresh, same);
    if (found != fresh.end()) {
      all.push_back(*found);
    } else if (auto earlier = experiments::read_findings(folder, experiment.name)) {
      all.push_back(*std::move(earlier));
    }
  }
  return all;
}

// Files and page after each experiment, so that an interrupted run leaves what was finished.
Result<std::vector<Finished>> run_all(const std::vector<const Experiment*>& chosen, const Settings& settings,
                                      const fs::path& folder, ReproduceDisplay& display) {
  std::vector<Finished> fresh;
  std::vector<std::string> to_come;
  to_come.reserve(chosen.size());
  for (const Experiment* experiment : chosen) to_come.emplace_back(experiment->name);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    display.begin(i);
    fresh.push_back(
        run_one(*chosen[i], settings, [&](double share, std::string_view doing) { display.update(share, doing); }));
    to_come.erase(to_come.begin());
    const auto written = experiments::write_findings(folder, fresh.back());
    display.end(fresh.back());
    if (!written) return written.error();
    const std::string page = experiments::render_page(with_earlier(folder, fresh), to_come);
    if (const auto done = io::write_file(folder / "index.html", page); !done) return done.error();
  }
  return fresh;
}

// ---- What is printed.

std::string summary(std::span<const Finished> all, const fs::path& page) {
  constexpr std::size_t kWords = 84;
  std::size_t name_width = 0;
  for (const Finished& finished : all) name_width = std::max(name_width, finished.findings.name.size());
  const std::size_t indent = name_width + 19;
  std::size_t verdicts = 0;
  std::vector<std::string> failing;
  std::string text;
  for (const Finished& finished : all) {
    std::string_view name = finished.findings.name;
    if (!finished.findings.holds()) failing.emplace_back(name);
    for (const Verdict& verdict : finished.findings.verdicts) {
      const std::string words = wrapped(verdict.words, kWords, indent);
      text += fmt::format("  {:<{}}  {:<13}  {}", name, name_width, verdict.holds ? "holds" : "does not hold",
                          words.size() > indent ? words.substr(indent) : "\n");
      name = "";
      ++verdicts;
    }
  }
  text += failing.empty() ? fmt::format("\nEvery verdict holds ({} of {}).\n", verdicts, verdicts)
                          : fmt::format("\nNot every verdict holds: see {}.\n", fmt::join(failing, ", "));
  return text + fmt::format("Page: {}\n", page.string());
}

int reproduce(const ReproduceArguments& arguments) {
  const auto chosen = chosen_from(arguments.names);
  if (!chosen) return complain(chosen.error().message, kBadInput);
  const auto settings = settings_from(arguments, *chosen);
  if (!settings) return complain(settings.error().message, kBadInput);
  const fs::path folder = arguments.out;
  if (const auto ready = io::make_writable_folder(folder); !ready) return complain(ready.error().message, kBadInput);

  ReproduceDisplay display(arguments.progress, *chosen);
  const auto finished = run_all(*chosen, *settings, folder, display);
  if (!finished) return complain(finished.error().message, kRunFailed);

  const fs::path page = folder / "index.html";
  const bool json = arguments.format == OutputFormat::Json;
  if (!print_result(json ? experiments::verdicts_json(*finished, page) : summary(*finished, page))) return kRunFailed;
  const bool holds = std::ranges::all_of(*finished, [](const Finished& each) { return each.findings.holds(); });
  return holds ? kDone : kRunFailed;
}

std::string footer() {
  std::string text = "Experiments:\n";
  for (const Experiment& experiment : experiments::all_experiments()) {
    text += fmt::format("  {:<16}{}\n", experiment.name, experiment.about);
  }
  return text +
         "\nExamples:\n"
         "  fedrk reproduce all --quick --out paper\n"
         "  fedrk reproduce fig1 fig2 --out paper\n"
         "  fedrk reproduce fig1-large --scale 0.25 --out paper\n\n"
         "A folder may be used again: what other experiments left there stays on its page.\n"
         "Ctrl-C ends the program at once (exit code 130); experiments that have finished stay on the page.\n"
         "Exit codes: 0 every verdict holds; 1 one does not, or a file could not be written; 2 bad usage or input.";
}

}  // namespace

void add_reproduce(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("reproduce", "repeat the experiments of the paper");
  const auto arguments = std::make_shared<ReproduceArguments>();
  format_help(*command);
  command->add_option("names", arguments->names, "experiments, as listed below")->type_name("NAME")->default_str("all");
  command->add_option("--out", arguments->out, "folder for pictures, numbers and index.html; required")
      ->required()
      ->type_name("DIR");
  command->add_flag("--quick", arguments->quick, "reduced sizes; takes seconds");
  command->add_option("--scale", arguments->scale, "fig1-large: both sides of its matrix times S, at most 1")
      ->type_name("S")
      ->default_str("1");
  command->add_option("--seed", arguments->seed, "random seed; equal seeds give equal results")
      ->type_name("N")
      ->default_str("1");
  add_format_flag(*command, arguments->format);
  add_progress_flag(*command, arguments->progress);
  add_threads_flag(*command, arguments->threads);
  command->footer(footer());
  command->callback([arguments, &exit_code] { exit_code = reproduce(*arguments); });
}

}  // namespace fedrk::app
