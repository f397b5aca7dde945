// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "output.hpp"

namespace fedrk::app {
namespace {

constexpr int kWidth = 30;

// A line that is longer than the terminal is wide could not be drawn over.
std::size_t room_for_text() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t columns = known ? size.ws_col : 200;
  const std::size_t others = kWidth + 4;  // brackets, a blank, the cursor
  return columns > others ? columns - others : 0;
}

// The first `most` bytes, without the half of a character at their end.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

std::string residual_text(std::optional<double> residual) {
  return residual ? fmt::format("residual {:.1e}", *residual) : "residual not asked for yet";
}

}  // namespace

bool Bar::due() const { return Clock::now() - drawn_ >= std::chrono::milliseconds(100); }

void Bar::draw(double share, std::string_view message) {
  drawn_ = Clock::now();
  there_ = true;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  say(fmt::format("\r[{:=<{}}{:>{}}] {} \x1b[K", "", filled, "", kWidth - filled, cut(message, room_for_text())));
}

void Bar::clear() {
  if (there_) say("\r\x1b[K");
  there_ = false;
}

ProgressStyle resolved(ProgressStyle style) {
  if (style != ProgressStyle::Auto) return style;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::Bar : ProgressStyle::Lines;
}

ProgressDisplay::ProgressDisplay(ProgressStyle style, std::uint32_t rounds)
    : style_(resolved(style)), rounds_(rounds), every_(std::max(1U, rounds / 20)) {}

void ProgressDisplay::begin_refit(std::size_t rounds) { before_ = rounds; }

void ProgressDisplay::on_round(const RoundRecord& record, std::span<const double>) {
  if (record.relative_residual) residual_ = record.relative_residual;
  made_ = std::size_t{record.round.value} + 1;
  if (style_ == ProgressStyle::Bar) draw_bar();
  // An absence is always worth a line.
  const bool due =
      made_ == before_.value_or(0) + 1 || made_ % every_ == 0 || made_ == rounds_ || !record.absences.empty();
  if (style_ == ProgressStyle::Lines && due) print_line(record);
}

// "17/200", or of a refit "3"
std::string ProgressDisplay::round_text() const {
  return before_ ? std::to_string(made_ - *before_) : fmt::format("{}/{}", made_, rounds_);
}

void ProgressDisplay::print_line(const RoundRecord& record) const {
  say(fmt::format("[{} {}] {} of {} replied, {}\n", before_ ? "REFIT" : "ROUND", round_text(),
                  record.participants.size(), record.participants.size() + record.absences.size(),
                  residual_text(residual_)));
}

void ProgressDisplay::draw_bar() {
  if (!bar_.due()) return;
  const double share = before_ ? 1.0 : static_cast<double>(made_) / rounds_;
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string left =
      before_ || spent < 1.0 ? "" : fmt::format(", at most {:.0f} s left", spent * (1.0 - share) / share);
  bar_.draw(share, fmt::format("{} {}, {}{}", before_ ? "refit, round" : "round", round_text(),
                               residual_text(residual_), left));
}

void ProgressDisplay::finish() { bar_.clear(); }

}  // namespace fedrk::app
