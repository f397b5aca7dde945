// SPDX-License-Identifier: Apache-2.0
#include "bar.hpp"

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
std::size_t room_for_words() {
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

}  // namespace

bool Bar::due() const { return Clock::now() - drawn_ >= std::chrono::milliseconds(100); }

void Bar::draw(double share, std::string_view words) {
  drawn_ = Clock::now();
  there_ = true;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  say(fmt::format("\r[{:=<{}}{:>{}}] {} \x1b[K", "", filled, "", kWidth - filled, cut(words, room_for_words())));
}

void Bar::clear() {
  if (there_) say("\r\x1b[K");
  there_ = false;
}

}  // namespace fedrk::app
