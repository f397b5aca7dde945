// SPDX-License-Identifier: Apache-2.0
//
// Whatever text there is for a formula, or for the powers of a column: it is read whole or refused, and the formula
// that was read, written out, reads the same.
#include <string>
#include <vector>

#include "data/powers.hpp"
#include "fedrk/error.hpp"
#include "fuzz/fuzz_files.hpp"
#include "problem/formula.hpp"

namespace fedrk::fuzz {
namespace {

std::string any_formula(Input& input) {
  std::string text(input.one_of({"y", "`my y`", ".", "", "y y"}));
  text += input.rarely(12) ? "" : " ~ ";
  for (std::uint32_t k = input.below(6); k > 0; --k) {
    text += input.one_of({"a", "b", ".", "0", "1", "y", "`a b`", "`.`", "`1`", "a*b", "\xC3\xA9", "2x", "``", "`open"});
    text += input.one_of({" + ", " - ", "+", "-", " ", " + - ", ""});
  }
  if (input.maybe()) text += input.one_of({"a", ".", "1", "b", "0"});
  if (input.rarely(6)) input.spoil(text);
  return text;
}

std::string written(const api::Formula& formula) {
  const auto quoted = [](const std::string& name) { return "`" + name + "`"; };
  std::string text = quoted(formula.response) + " ~ ";
  if (formula.all_others) text += ".";
  for (std::size_t k = 0; k < formula.columns.size(); ++k) text += (k == 0 ? "" : " + ") + quoted(formula.columns[k]);
  for (const std::string& name : formula.left_out) {
    if (formula.all_others) text += " - " + quoted(name);
  }
  return text + (formula.intercept ? " + 1" : " - 1");
}

bool is_formula(const std::string& text) {
  try {
    (void)api::parse_formula(text);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

void check_formula(const std::string& text) {
  try {
    const api::Formula formula = api::parse_formula(text);
    FUZZ_PROMISE(!formula.response.empty());
    FUZZ_PROMISE(formula.all_others == formula.columns.empty());
    for (const auto* names : {&formula.columns, &formula.left_out}) {
      for (const std::string& name : *names) {
        FUZZ_PROMISE(!name.empty() && name != formula.response && text.find(name) != std::string::npos);
      }
    }
    const api::Formula again = api::parse_formula(written(formula));
    FUZZ_PROMISE(again.response == formula.response && again.all_others == formula.all_others &&
                 again.columns == formula.columns && again.intercept == formula.intercept);
    FUZZ_PROMISE(!formula.all_others || again.left_out == formula.left_out);
    // Whatever follows a formula belongs to it, or makes it none.
    for (const std::string& more :
         {std::string(1, '\0'), std::string("\0 + a", 5), std::string(" ~"), std::string("*")}) {
      FUZZ_PROMISE(!is_formula(text + more));
    }
  } catch (const InvalidArgument&) {
  }
}

void check_powers(const std::string& text) {
  const auto powers = io::parse_powers(text);
  if (!powers) return check_line(powers.error(), "expected COLUMN:K");
  FUZZ_PROMISE(powers->highest >= 2 && powers->highest <= 32 && !powers->column.empty());
  FUZZ_PROMISE(text.starts_with(powers->column + ":"));
  const std::vector<std::string> entries{text}, columns{"x", powers->column};
  const auto names = io::with_powers(entries, columns);
  if (powers->column != "x") FUZZ_PROMISE(names && names->size() == 2 + io::power_count(entries));
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  switch (input.below(4)) {
    case 0:
      fedrk::fuzz::check_powers(std::string(input.one_of({"dose", "a:b", ":", ""})) +
                                std::string(input.one_of({":2", ":32", ":33", ":1", ":", " : 3", ":+4", ""})) +
                                (input.maybe() ? input.rest() : ""));
      break;
    case 1:
      fedrk::fuzz::check_formula(input.rest());
      break;
    default:
      fedrk::fuzz::check_formula(fedrk::fuzz::any_formula(input));
      break;
  }
  return 0;
}
