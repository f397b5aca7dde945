// SPDX-License-Identifier: Apache-2.0
//
// Whatever stands in a CSV file: its readers agree with each other, take no memory beyond it, name the line where
// something is wrong without quoting it, and read back what was written.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_stream.hpp"
#include "data/csv.hpp"
#include "data/record_hashes.hpp"
#include "fuzz/fuzz_files.hpp"

namespace fedrk::fuzz {
namespace {

constexpr std::string_view kName = "t.csv";

std::string any_field(Input& input) {
  if (!input.rarely(6)) return std::string(any_number(input));
  return std::string(input.one_of({"\"1\"", "\"a,b\"", "\"un\"\"quoted\"", "\"open", "\"8\" x", "", "  ", "site 1"}));
}

/// Mostly a table: a header, and rows that are about as long.
std::string any_table(Input& input) {
  const char delimiter = ",;\t"[input.below(3)];
  const std::string end = input.rarely(4) ? "\r\n" : "\n";
  const std::uint32_t columns = 1 + input.below(5);
  std::string text = input.rarely(8) ? "\xEF\xBB\xBF" : "";
  const char* const names[] = {"y", "a", "site", "b", "c"};
  for (std::uint32_t k = 0; k < columns; ++k) {
    if (k > 0) text += delimiter;
    text += !input.rarely(8) ? std::string_view(names[k])
                             : input.one_of({"\"d,e\"", "", "1", "\"\"\"\"", " f ", "\" g \"", "\xC3\xA9", "\xE9", "a",
                                             "y", "h;i", "\"j\tk\""});
  }
  text += end;
  for (std::uint32_t rows = input.below(6); rows > 0; --rows) {
    const std::uint32_t fields = input.rarely(12) ? input.below(7) : columns;
    for (std::uint32_t k = 0; k < fields; ++k) {
      if (k > 0) text += delimiter;
      text += input.rarely(4) ? any_field(input) : std::to_string(input.below(90));
    }
    if (rows > 1 || input.maybe()) text += end;
  }
  if (input.rarely(6)) input.spoil(text);
  return text;
}

io::TableOptions any_options(Input& input) {
  io::TableOptions options;
  if (!input.rarely(8)) options.target = "y";
  if (input.rarely(4)) options.ignore = {std::string(input.one_of({"a", "b", "y", "nobody"}))};
  if (input.rarely(3)) options.group_by = std::string(input.one_of({"site", "a", "y", "nobody"}));
  if (input.rarely(4)) options.columns = {"b", "a"};
  options.margins = {.front = input.below(2), .back = input.below(3)};
  return options;
}

// Of a line that names too little, the header may be all there is: it is no value of the data.
bool header_holds_data(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.find(kSecretText) != std::string_view::npos || line.find(kSecretNumber) != std::string_view::npos;
}

bool same_system(const LinearSystem& one, const LinearSystem& other) {
  const Matrix& a = std::get<Matrix>(one.rows);
  const Matrix& b = std::get<Matrix>(other.rows);
  if (a.rows() != b.rows() || a.cols() != b.cols() || !same(one.rhs, other.rhs)) return false;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    if (std::memcmp(a.row(i).data(), b.row(i).data(), a.cols() * sizeof(double)) != 0) return false;
  }
  return true;
}

class Play {
 public:
  Play(Input& input, std::string text) : input_(input), text_(std::move(text)) {}

  void run() {
    const io::TableOptions options = any_options(input_);
    const auto data = io::read_csv_text(text_, kName, options);
    const auto from_file = io::read_csv(file().holding(text_), options);
    const auto table = io::read_csv_table(file().path());
    const auto names = io::read_csv_columns(file().path());
    const auto hashes = io::csv_record_hashes(file().path(), 7, std::vector<std::string>{"a", "y"});
    if (!header_holds_data(text_)) {
      if (!data) check_message(data.error(), kName);
      for (const Error* error :
           {table ? nullptr : &table.error(), names ? nullptr : &names.error(), hashes ? nullptr : &hashes.error()}) {
        if (error != nullptr) check_message(*error, file().path().string());
      }
    }
    FUZZ_PROMISE(static_cast<bool>(data) == static_cast<bool>(from_file));
    if (data) check_data(*data, *from_file, options);
    if (table) check_table(*table, *names);
    if (table && hashes) {
      FUZZ_PROMISE(hashes->size() == table->rows && std::ranges::is_sorted(*hashes));
    }
    if (data && table && options.columns.empty()) check_alike(*data, *table, options);
    if (data && input_.rarely(8)) check_written(*data);
  }

 private:
  static const MemoryFile& file() {
    static const MemoryFile made;
    return made;
  }

  void check_data(const io::Dataset& data, const io::Dataset& from_file, const io::TableOptions& options) {
    const Matrix& matrix = std::get<Matrix>(data.system.rows);
    const auto lines = static_cast<std::size_t>(std::ranges::count(text_, '\n'));
    FUZZ_PROMISE(matrix.rows() > 0 && matrix.rows() <= lines && data.system.rhs.size() == matrix.rows());
    FUZZ_PROMISE(data.columns.size() == matrix.cols() && matrix.rows() * (matrix.cols() + 1) <= text_.size());
    FUZZ_PROMISE(data.labels.size() == (options.group_by.empty() ? 0 : matrix.rows()));
    FUZZ_PROMISE(options.columns.empty() || data.columns == options.columns);
    FUZZ_PROMISE(same_system(data.system, from_file.system) && data.labels == from_file.labels);
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      FUZZ_PROMISE(std::ranges::all_of(matrix.row(i), [](double value) { return std::isfinite(value); }));
    }
    for (const std::string& label : data.labels) FUZZ_PROMISE(!label.empty() && io::is_utf8(label));
  }

  void check_table(const io::CsvTable& table, const std::vector<std::string>& names) {
    FUZZ_PROMISE(table.names == names && table.columns.size() == names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      FUZZ_PROMISE(io::is_utf8(names[k]) && !names[k].empty());
      FUZZ_PROMISE(table.columns[k].size() == (table.not_numbers[k].empty() ? table.rows : 0));
      if (!table.not_numbers[k].empty() && !header_holds_data(text_)) {
        check_message({table.not_numbers[k]}, file().path().string());
      }
    }
  }

  // The two front ends: what one takes as a feature or a target, the other has as a column of numbers.
  void check_alike(const io::Dataset& data, const io::CsvTable& table, const io::TableOptions& options) {
    const Matrix& matrix = std::get<Matrix>(data.system.rows);
    FUZZ_PROMISE(table.rows == matrix.rows());
    for (std::size_t k = 0; k < table.names.size(); ++k) {
      if (table.names[k] == options.target) FUZZ_PROMISE(same(table.columns[k], data.system.rhs));
      const auto feature = std::ranges::find(data.columns, table.names[k]);
      if (feature == data.columns.end()) continue;
      const auto j = static_cast<std::size_t>(feature - data.columns.begin());
      for (std::size_t i = 0; i < matrix.rows(); ++i) FUZZ_PROMISE(matrix.row(i)[j] == table.columns[k].at(i));
    }
  }

  void check_written(const io::Dataset& data) {
    static const MemoryFolder folder;
    const auto path = folder / "written.csv";
    FUZZ_PROMISE(io::write_csv(path, data.system, 0, data.system.rhs.size(), data.columns, "y"));
    const auto again = io::read_csv(path, {.target = "y", .ignore = {}, .group_by = {}, .margins = {}});
    FUZZ_PROMISE(again && again->columns == data.columns && same_system(again->system, data.system));
  }

  Input& input_;
  std::string text_;
};

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  const bool made = !input.rarely(8);
  std::string text = made ? fedrk::fuzz::any_table(input) : input.raw();
  fedrk::fuzz::Play(input, std::move(text)).run();
  return 0;
}
