// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mapped text file, or text in memory, line after line.
//
// A byte order mark at the start and blank lines at the end are not part of the text; a line comes without its line
// end, be it LF or CRLF. Pages that have been read are handed back, so a large file never sits in memory whole.

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/mapped_file.hpp"
#include "base/scan.hpp"

namespace fedrk::io {

/// The text from its first line to its last line that is not blank.
inline std::string_view body_of(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::string_view ended = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
    const std::size_t start = ended.find_last_of('\n') + 1;  // npos + 1 is 0: the first line
    if (ended.substr(start).find_first_not_of(" \t\r") != std::string_view::npos) return ended;
    text = text.substr(0, start);
  }
  return text;
}

class TextLines {
 public:
  /// REQUIRES: `file` outlives the lines.
  explicit TextLines(const MappedFile& file) : TextLines(file.text(), &file) {}
  /// REQUIRES: the text outlives the lines.
  explicit TextLines(std::string_view text) : TextLines(text, nullptr) {}

  /// Moves to the next line; false when there is none.
  bool next() {
    if (!more_) return false;
    const std::size_t end = rest_.find('\n');
    more_ = end != std::string_view::npos;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(more_ ? end + 1 : rest_.size());
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    forget_what_was_read();
    return true;
  }

  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }           // of line(), from 1
  std::size_t bytes_left() const { return rest_.size(); }  // after line()

 private:
  TextLines(std::string_view text, const MappedFile* file) : file_(file), rest_(body_of(text)), more_(!rest_.empty()) {}

  void forget_what_was_read() {
    constexpr std::size_t kStretch = std::size_t{32} << 20;
    if (file_ == nullptr) return;
    const auto reached = static_cast<std::size_t>(line_.data() - file_->text().data());
    if (reached < forgotten_ + kStretch) return;
    file_->forget(forgotten_, reached);
    forgotten_ = reached;
  }

  const MappedFile* file_;  // none: the text is not ours to hand back
  std::string_view rest_, line_;
  std::size_t number_ = 0, forgotten_ = 0;
  bool more_;
};

struct TextSurvey {
  std::size_t lines = 0;
  std::size_t nul_line = 0;  // the first line with a NUL byte, from 1; 0 where the text is clean
};

/// Counts the lines that TextLines will give, so that room for them can be made once. `file`: whose text it is, if any.
inline TextSurvey survey(std::string_view text, const MappedFile* file = nullptr) {
  constexpr std::size_t kStretch = std::size_t{1} << 20;
  const std::string_view body = body_of(text);
  const auto newlines = [](std::string_view part) {
    return static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
  };
  TextSurvey found{.lines = body.empty() ? 0U : 1U};
  for (std::size_t at = 0; at < body.size(); at += kStretch) {
    const std::string_view stretch = body.substr(at, kStretch);
    const std::size_t nul = stretch.find('\0');
    if (nul != std::string_view::npos) {
      found.nul_line = found.lines + newlines(stretch.substr(0, nul));
      return found;
    }
    found.lines += newlines(stretch);
    if (file == nullptr) continue;
    const auto offset = static_cast<std::size_t>(stretch.data() - text.data());
    file->forget(offset, offset + stretch.size());
  }
  return found;
}

inline TextSurvey survey(const MappedFile& file) { return survey(file.text(), &file); }

}  // namespace fedrk::io
