// SPDX-License-Identifier: Apache-2.0
#include "data/csv_row.hpp"

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/shown.hpp"
#include "data/csv_fields.hpp"

namespace fedrk::io {

std::optional<std::string> careful_number(std::string_view line, char delimiter, std::size_t& at, double& value) {
  CsvFields fields(line, delimiter, at);
  if (!fields.next()) return fields.problem();
  const Result<double> number = parse_number(fields.text());
  if (!number) return number.error().message;
  at = fields.position();
  value = *number;
  return std::nullopt;
}

std::string explain(const CsvHeader& header, std::string_view line, std::size_t column, const std::string& problem) {
  if (trimmed(line).empty()) return fmt::format("expected {} fields, found a blank line", header.names.size());
  CsvFields fields(line, header.delimiter);
  std::size_t count = 0;
  while (fields.next()) ++count;
  if (!fields.problem().empty()) return fields.problem();
  if (count != header.names.size()) return fmt::format("expected {} fields, found {}", header.names.size(), count);
  return fmt::format("column {}: {}", shown(header.names[column]), problem);
}

}  // namespace fedrk::io
