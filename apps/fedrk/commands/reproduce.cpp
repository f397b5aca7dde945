// SPDX-License-Identifier: Apache-2.0

// fedrk reproduce: the experiments of the paper, with figures, numbers and verdicts.

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/write_file.hpp"
#include "commands.hpp"
#include "experiments/experiment.hpp"
#include "experiments/findings_files.hpp"
#include "experiments/page.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using experiments::Experiment;
using experiments::Finished;
using experiments::Judgement;
using experiments::Settings;

constexpr std::string_view kScaled = "fig1-large";  // the one experiment that --scale concerns

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string out;
  bool quick = false;
  std::optional<double> scale;
  std::uint64_t seed = Settings{}.seed;
  std::size_t threads = 0;  // 0: all cores
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
  if (arguments.scale && std::ranges::find(chosen, kScaled, &Experiment::name) == chosen.end()) {
    return Error{fmt::format("--scale concerns {} only, which is not among the experiments asked for", kScaled)};
  }
  return Settings{.quick = arguments.quick,
                  .scale = arguments.scale.value_or(1.0),
                  .seed = arguments.seed,
                  .threads = arguments.threads};
}

// ---- What it tells while it runs.

const char* judgement_text(bool holds) { return holds ? "holds" : "does not hold"; }

/// A bar for the whole with words for the part, or lines, on stderr.
class ReproduceDisplay {
 public:
  ReproduceDisplay(ProgressStyle style, std::vector<const Experiment*> chosen)
      : style_(resolved(style)), chosen_(std::move(chosen)) {}

  void begin(std::size_t index) {
    index_ = index;
    share_ = 0.0;
    said_ = Clock::now();
    if (style_ == ProgressStyle::Lines) say(fmt::format("{}: {}\n", place(), chosen_[index]->about));
    if (style_ == ProgressStyle::Bar) update(0.0, chosen_[index]->about);
  }

  void update(double share, std::string_view doing) {
    share_ = share > 0.0 ? std::min(share, 1.0) : 0.0;
    if (style_ == ProgressStyle::Bar && bar_.due()) {
      bar_.draw(share_of_all(), fmt::format("{} %  {} of {}: {}, {}, {} %", percent(share_of_all()), index_ + 1,
                                            chosen_.size(), chosen_[index_]->name, doing, percent(share_)));
    }
    // A log should show now and then that a long experiment is alive.
    if (style_ == ProgressStyle::Lines && Clock::now() - said_ >= std::chrono::seconds(30)) {
      said_ = Clock::now();
      say(fmt::format("{}: {} %, {}\n", place(), percent(share_), doing));
    }
  }

  void end(const Finished& finished) {
    bar_.clear();
    if (style_ == ProgressStyle::None) return;
    say(fmt::format("{} {} ({:.1f} s)\n", place(), judgement_text(finished.findings.holds()), finished.seconds));
    if (style_ == ProgressStyle::Bar) return;  // on a terminal the table at the end is in sight
    // All words come in that table; a log need not wait for it to tell what went wrong.
    for (const Judgement& judgement : finished.findings.judgements) {
      if (!judgement.holds) say(fmt::format("    {}: {}\n", judgement_text(false), judgement.message));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  static int percent(double share) { return static_cast<int>(100.0 * share); }

  std::string place() const { return fmt::format("[{} of {}] {}", index_ + 1, chosen_.size(), chosen_[index_]->name); }

  double share_of_all() const {
    double all = 0.0, done = 0.0;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      all += chosen_[i]->weight;
      if (i <= index_) done += chosen_[i]->weight * (i < index_ ? 1.0 : share_);
    }
    return all > 0.0 ? done / all : 0.0;
  }

  ProgressStyle style_;
  std::vector<const Experiment*> chosen_;
  std::size_t index_ = 0;
  double share_ = 0.0;  // of the experiment at hand
  Clock::time_point said_{};
  Bar bar_;
};

// ---- The run.

// What an experiment cannot do is a verdict against it, not the end of the others.
Finished run_one(const Experiment& experiment, const Settings& settings, const experiments::Progress& progress) {
  Finished finished{.findings = {}, .settings = settings, .version = std::string(experiments::version())};
  const auto fail = [&](const std::string& why) {
    finished.findings = {.name = std::string(experiment.name),
                         .title = std::string(experiment.about),
                         .set_up = "",
                         .judgements = {{false, "the experiment ended early: " + why}},
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
  std::size_t judgements = 0;
  std::vector<std::string> failing;
  std::string text;
  for (const Finished& finished : all) {
    std::string_view name = finished.findings.name;
    if (!finished.findings.holds()) failing.emplace_back(name);
    for (const Judgement& judgement : finished.findings.judgements) {
      const std::string message = wrapped(judgement.message, kWords, indent);
      text += fmt::format("  {:<{}}  {:<13}  {}", name, name_width, judgement_text(judgement.holds),
                          message.size() > indent ? message.substr(indent) : "\n");
      name = "";
      ++judgements;
    }
  }
  text += failing.empty() ? fmt::format("\nEvery verdict holds ({} of {}).\n", judgements, judgements)
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
  if (!print_result(json ? experiments::judgements_json(*finished, page) : summary(*finished, page))) return kRunFailed;
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

Command reproduce_command() {
  const auto arguments = std::make_shared<ReproduceArguments>();
  const auto scale = [arguments](const io::OptionValues& values) {
    return io::set_number(
        values, "a number above 0 and at most 1", [](double s) { return s > 0.0 && s <= 1.0; },
        arguments->scale.emplace());
  };
  return {.name = "reproduce",
          .about = "repeat the experiments of the paper",
          .arguments = {{"names", "NAME...", "experiments, as listed below", texts(arguments->names), "all"}},
          .flags = {{.name = "out",
                     .value = "DIR",
                     .help = "folder for pictures, numbers and index.html; required",
                     .set = text(arguments->out),
                     .required = true},
                    {"quick", "", "reduced sizes; takes seconds", on(arguments->quick)},
                    {"scale", "S", "fig1-large: both sides of its matrix times S, at most 1", scale, "1"},
                    {"seed", "N", "random seed; equal seeds give equal results",
                     whole<std::uint64_t>(arguments->seed, 0), "1"},
                    format_flag(arguments->format),
                    progress_flag(arguments->progress),
                    threads_flag(arguments->threads)},
          .footer = footer(),
          .run = [arguments] { return reproduce(*arguments); }};
}

}  // namespace fedrk::app
