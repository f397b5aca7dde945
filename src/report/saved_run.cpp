// SPDX-License-Identifier: Apache-2.0
#include "report/saved_run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/mapped_file.hpp"
#include "base/number.hpp"
#include "base/text_lines.hpp"
#include "data/csv_fields.hpp"

namespace fedrk::io {
namespace {

// The library's messages begin with a tag for programs: "[json.exception.parse_error.101] parse error at line ...".
std::string_view without_tag(std::string_view message) {
  const std::size_t end = message.find("] ");
  return message.starts_with('[') && end != std::string_view::npos ? message.substr(end + 2) : message;
}

Result<Json> read_result(const std::filesystem::path& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  try {
    Json result = Json::parse(file->text());
    if (!result.is_object()) return error_in(path, "expected the result of a run, found other JSON");
    return result;
  } catch (const Json::exception& problem) {
    return error_in(path, fmt::format("not valid JSON: {}", without_tag(problem.what())));
  }
}

// The fields of one line; an error, in words that fit behind the place, when its quotes are wrong.
Result<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  CsvFields csv(line, ',');
  while (csv.next()) fields.emplace_back(csv.text());
  if (!csv.problem().empty()) return Error{csv.problem()};
  return fields;
}

// The columns that a report needs besides the number of the round, as far as they are there.
constexpr std::pair<std::string_view, std::optional<double> SavedRound::*> kColumns[] = {
    {"residual", &SavedRound::residual}, {"movement", &SavedRound::movement}, {"error", &SavedRound::error}};

// A field that may be empty. A run that diverged may have left words such as inf, which are no number to draw either.
Result<std::optional<double>> read_field(const std::string& text) {
  using Field = std::optional<double>;
  if (text.empty() || text == "nan" || text == "inf" || text == "-inf" || text == "-nan") return Field{};
  const Result<double> number = parse_number(text);
  if (!number) return number.error();
  return Field{*number};
}

Result<SavedRound> read_round(const std::vector<std::string>& fields, const std::vector<std::string>& columns) {
  if (fields.size() != columns.size()) {
    return Error{fmt::format("expected {} fields, found {}", columns.size(), fields.size())};
  }
  SavedRound round;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto wanted = std::ranges::find(kColumns, columns[k], [](const auto& column) { return column.first; });
    if (columns[k] == "round") {
      const Result<double> number = parse_number(fields[k]);
      if (!number) return Error{"round: " + number.error().message};
      round.round = *number;
    } else if (wanted != std::end(kColumns)) {
      const Result<std::optional<double>> value = read_field(fields[k]);
      if (!value) return Error{fmt::format("{}: {}", columns[k], value.error().message)};
      round.*(wanted->second) = *value;
    }
  }
  return round;
}

Result<std::vector<SavedRound>> read_history(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  std::vector<SavedRound> history;
  TextLines lines(*file);
  if (!lines.next()) return history;
  const Result<std::vector<std::string>> header = fields_of(lines.line());
  if (!header) return error_at(path, lines.number(), header.error().message);
  if (std::ranges::find(*header, "round") == header->end()) {
    return error_at(path, lines.number(), "expected a header line with the column 'round'");
  }
  while (lines.next()) {
    const Result<std::vector<std::string>> fields = fields_of(lines.line());
    if (!fields) return error_at(path, lines.number(), fields.error().message);
    const Result<SavedRound> round = read_round(*fields, *header);
    if (!round) return error_at(path, lines.number(), round.error().message);
    history.push_back(*round);
  }
  return history;
}

std::string folder_name(const std::filesystem::path& folder) {
  const std::filesystem::path whole = folder.has_filename() ? folder : folder.parent_path();
  const std::string name = whole.filename().string();
  return name.empty() || name == "." || name == ".." ? "run" : name;
}

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

}  // namespace

SavedRun saved_run_of(const FinishedRun& run) {
  SavedRun saved{run.title, result_document(run), {}};
  for (std::size_t t = 0; t < run.result.history.size(); ++t) {
    const RoundRecord& record = run.result.history[t];
    SavedRound& round = saved.history.emplace_back();
    round.round = static_cast<double>(record.round.value) + 1.0;
    if (record.relative_residual) round.residual = finite(*record.relative_residual);
    round.movement = finite(record.movement);
    if (!run.errors.empty()) round.error = finite(run.errors[t]);
  }
  return saved;
}

Result<SavedRun> read_saved_run(const std::filesystem::path& folder) {
  std::error_code unreadable;
  if (!std::filesystem::exists(folder / "result.json", unreadable)) {
    return error_in(folder, "no result.json here; give the folder of a run");
  }
  Result<Json> result = read_result(folder / "result.json");
  if (!result) return result.error();
  SavedRun run;
  run.result = *std::move(result);
  run.name = text_at(run.result, "title");
  if (run.name.empty()) run.name = folder_name(folder);
  // A run that failed before its first round has no history to show.
  if (!std::filesystem::exists(folder / "history.csv", unreadable)) return run;
  Result<std::vector<SavedRound>> history = read_history(folder / "history.csv");
  if (!history) return history.error();
  run.history = *std::move(history);
  return run;
}

const Json& at(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

std::optional<double> number_at(const Json& object, const char* key) {
  const Json& value = at(object, key);
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> count_at(const Json& object, const char* key) {
  const std::optional<double> number = number_at(object, key);
  // Beyond 2^53 a number no longer counts one by one.
  if (!number || *number < 0.0 || *number > 9007199254740992.0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::string text_at(const Json& object, const char* key) {
  const Json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace fedrk::io
