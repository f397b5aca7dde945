// SPDX-License-Identifier: Apache-2.0
#include "reproduce_display.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "output.hpp"

namespace fedrk::app {
namespace {

constexpr auto kLinesApart = std::chrono::seconds(30);

int percent(double share) { return static_cast<int>(100.0 * share); }

}  // namespace

ReproduceDisplay::ReproduceDisplay(ProgressStyle style, std::vector<const experiments::Experiment*> chosen)
    : style_(resolved(style)), chosen_(std::move(chosen)) {}

void ReproduceDisplay::begin(std::size_t index) {
  index_ = index;
  share_ = 0.0;
  said_ = Clock::now();
  const experiments::Experiment& experiment = *chosen_[index];
  if (style_ == ProgressStyle::Lines) {
    say(fmt::format("[{} of {}] {}: {}\n", index + 1, chosen_.size(), experiment.name, experiment.about));
  }
  if (style_ == ProgressStyle::Bar) update(0.0, experiment.about);
}

void ReproduceDisplay::update(double share, std::string_view doing) {
  share_ = share > 0.0 ? std::min(share, 1.0) : 0.0;
  const std::string_view name = chosen_[index_]->name;
  if (style_ == ProgressStyle::Bar && bar_.due()) {
    bar_.draw(share_of_all(), fmt::format("{} %  {} of {}: {}, {}, {} %", percent(share_of_all()), index_ + 1,
                                          chosen_.size(), name, doing, percent(share_)));
  }
  // A log should show now and then that a long experiment is alive.
  if (style_ == ProgressStyle::Lines && Clock::now() - said_ >= kLinesApart) {
    said_ = Clock::now();
    say(fmt::format("[{} of {}] {}: {} %, {}\n", index_ + 1, chosen_.size(), name, percent(share_), doing));
  }
}

void ReproduceDisplay::end(const experiments::Finished& finished) {
  bar_.clear();
  if (style_ == ProgressStyle::None) return;
  const auto words = [](bool holds) { return holds ? "holds" : "does not hold"; };
  const experiments::Findings& findings = finished.findings;
  say(fmt::format("[{} of {}] {} {} ({:.1f} s)\n", index_ + 1, chosen_.size(), findings.name, words(findings.holds()),
                  finished.seconds));
  if (style_ == ProgressStyle::Bar) return;  // on a terminal the table at the end is in sight
  // All words come in that table; a log need not wait for it to tell what went wrong.
  for (const experiments::Verdict& verdict : findings.verdicts) {
    if (!verdict.holds) say(fmt::format("    {}: {}\n", words(false), verdict.words));
  }
}

double ReproduceDisplay::share_of_all() const {
  double all = 0.0;
  double done = 0.0;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    all += chosen_[i]->weight;
    if (i <= index_) done += chosen_[i]->weight * (i < index_ ? 1.0 : share_);
  }
  return all > 0.0 ? done / all : 0.0;
}

}  // namespace fedrk::app
