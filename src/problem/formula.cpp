// SPDX-License-Identifier: Apache-2.0
#include "problem/formula.hpp"

#include <algorithm>
#include <cctype>

#include "base/shown.hpp"
#include "fedrk/error.hpp"

namespace fedrk::api {
namespace {

constexpr const char* kSupported =
    "supported are y ~ . for all other columns, y ~ a + b, - a to leave a column out, -1 or +0 for no intercept, and "
    "`names in backquotes`";

bool is_name_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '.' || byte >= 0x80;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Formula parse() {
    formula_.response = name();
    if (formula_.response.empty() || formula_.response == ".") refuse("expected the name of a column before '~'");
    if (next() != '~') refuse_here();
    ++at_;
    bool added = true;
    if (next() == '+' || next() == '-') added = sign();
    for (;;) {
      take_term(added);
      if (next() == '\0' && at_ == text_.size()) break;
      if (next() != '+' && next() != '-') refuse_here();
      added = sign();
    }
    if (!formula_.all_others && formula_.columns.empty()) refuse("no column is left to explain by");
    if (formula_.all_others) formula_.columns.clear();
    return std::move(formula_);
  }

 private:
  [[noreturn]] void refuse(const std::string& fact) const {
    std::string text(text_);
    std::ranges::replace_if(
        text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }, '?');
    throw InvalidArgument("formula \"" + text + "\": " + fact + "; " + kSupported);
  }
  [[noreturn]] void refuse_here() const {
    if (at_ == text_.size()) refuse("it ends too early");
    refuse(io::shown(text_.substr(at_, 1)) + " at character " + std::to_string(at_ + 1) + " is not supported");
  }

  /// The next character that is not blank; '\0' at the end.
  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool sign() { return text_[at_++] == '+'; }

  std::string name() {
    if (next() == '`') {
      const std::size_t end = text_.find('`', at_ + 1);
      if (end == std::string_view::npos || end == at_ + 1) refuse("expected a name between two backquotes");
      const std::string_view quoted = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return std::string(quoted);
    }
    const std::size_t first = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    return std::string(text_.substr(first, at_ - first));
  }

  void take_term(bool added) {
    const bool quoted = next() == '`';
    const std::size_t first = at_;
    const std::string term = name();
    if (term.empty()) refuse_here();
    if (!quoted && (term == "0" || term == "1")) {
      formula_.intercept = (term == "1") == added;
    } else if (!quoted && term == ".") {
      if (!added) refuse("'.' cannot be left out");
      formula_.all_others = true;
    } else if (!quoted && std::isdigit(static_cast<unsigned char>(term.front())) != 0) {
      at_ = first;
      refuse_here();
    } else {
      take_column(term, added);
    }
  }

  void take_column(const std::string& column, bool added) {
    if (column == formula_.response) refuse("'" + column + "' is what is to be explained");
    const bool there = std::ranges::find(formula_.columns, column) != formula_.columns.end();
    if (added && !there) formula_.columns.push_back(column);
    if (added) std::erase(formula_.left_out, column);
    if (added) return;
    if (!there && !formula_.all_others) refuse("'" + column + "' is left out but was not there");
    std::erase(formula_.columns, column);
    if (std::ranges::find(formula_.left_out, column) == formula_.left_out.end()) formula_.left_out.push_back(column);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Formula formula_;
};

}  // namespace

Formula parse_formula(std::string_view text) { return Parser(text).parse(); }

}  // namespace fedrk::api
