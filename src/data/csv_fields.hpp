// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line of a CSV table, field after field.
//
// A field may stand in double quotes, inside which the delimiter is text and "" is one quote; blanks around a field are
// not part of it. A quoted field ends on its line.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/scan.hpp"

namespace fedrk::io {

class CsvFields {
 public:
  /// Starts at the field that begins at byte `at`.
  CsvFields(std::string_view line, char delimiter, std::size_t at = 0)
      : line_(line), delimiter_(delimiter), next_(at) {}

  /// Moves to the next field; false after the last one, and where the quotes are wrong.
  bool next() {
    if (next_ > line_.size() || !problem_.empty()) return false;
    std::size_t first = next_;
    while (first < line_.size() && is_blank(line_[first]) && line_[first] != delimiter_) ++first;
    if (first < line_.size() && line_[first] == '"') return quoted(first + 1);
    const std::size_t end = line_.find(delimiter_, first);
    text_ = trimmed(line_.substr(first, end - first));  // npos - first: to the end
    next_ = end == std::string_view::npos ? line_.size() + 1 : end + 1;
    return true;
  }

  /// The field without blanks and quotes, until the next call of `next`.
  std::string_view text() const { return text_; }
  /// Where the following field begins; beyond the line after the last.
  std::size_t position() const { return next_; }
  /// What is wrong with the quotes; empty where nothing is.
  const std::string& problem() const { return problem_; }

 private:
  bool quoted(std::size_t at) {
    unquoted_.clear();
    for (;; ++at) {
      if (at >= line_.size()) return refuse("expected a closing quote '\"' on the same line");
      if (line_[at] == '"') {
        const bool doubled = at + 1 < line_.size() && line_[at + 1] == '"';
        if (!doubled) break;
        ++at;
      }
      unquoted_ += line_[at];
    }
    for (++at; at < line_.size() && line_[at] != delimiter_; ++at) {
      if (!is_blank(line_[at])) return refuse("expected the end of the field after a closing quote '\"'");
    }
    text_ = unquoted_;
    next_ = at + 1;
    return true;
  }

  bool refuse(std::string_view problem) {
    problem_ = problem;
    return false;
  }

  std::string_view line_, text_;
  char delimiter_;
  std::size_t next_;
  std::string unquoted_, problem_;
};

}  // namespace fedrk::io
