// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "output.hpp"

namespace fedrk::app {
namespace {

std::string residual_text(std::optional<double> residual) {
  return residual ? fmt::format("residual {:.1e}", *residual) : "residual not asked for yet";
}

}  // namespace

ProgressDisplay::ProgressDisplay(ProgressStyle style, std::uint32_t rounds)
    : style_(style), rounds_(rounds), every_(std::max(1U, rounds / 20)) {
  if (style_ == ProgressStyle::Auto) style_ = isatty(STDERR_FILENO) != 0 ? ProgressStyle::Bar : ProgressStyle::Lines;
}

void ProgressDisplay::on_round(const RoundRecord& record, std::span<const double>) {
  if (record.relative_residual) residual_ = record.relative_residual;
  if (style_ == ProgressStyle::Bar) draw_bar(record);
  const std::uint32_t made = record.round.value + 1;
  // An absence is always worth a line.
  const bool due = made == 1 || made % every_ == 0 || made == rounds_ || !record.absences.empty();
  if (style_ == ProgressStyle::Lines && due) print_line(record);
}

void ProgressDisplay::print_line(const RoundRecord& record) const {
  say(fmt::format("[ROUND {}/{}] {} of {} replied, {}\n", record.round.value + 1, rounds_, record.participants.size(),
                  record.participants.size() + record.absences.size(), residual_text(residual_)));
}

void ProgressDisplay::draw_bar(const RoundRecord& record) {
  constexpr auto kEvery = std::chrono::milliseconds(100);
  constexpr int kWidth = 30;
  const auto now = Clock::now();
  if (now - drawn_ < kEvery) return;
  drawn_ = now;
  bar_there_ = true;
  const double share = static_cast<double>(record.round.value + 1) / rounds_;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const std::string left = spent < 1.0 ? "" : fmt::format(", at most {:.0f} s left", spent * (1.0 - share) / share);
  const int filled = static_cast<int>(share * kWidth);
  say(fmt::format("\r[{:=<{}}{:>{}}] round {}/{}, {}{} \x1b[K", "", filled, "", kWidth - filled, record.round.value + 1,
                  rounds_, residual_text(residual_), left));
}

void ProgressDisplay::finish() {
  if (bar_there_) say("\r\x1b[K");
  bar_there_ = false;
}

}  // namespace fedrk::app
