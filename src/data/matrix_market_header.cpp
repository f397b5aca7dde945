// SPDX-License-Identifier: Apache-2.0
#include "data/matrix_market_header.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/number.hpp"
#include "base/scan.hpp"
#include "data/matrix_market.hpp"

namespace fedrk::io {
namespace {

using Problem = std::optional<std::string>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Sets `choice` to the value whose name is the banner's word; `expected` lists the names for the message.
template <class Choice>
Problem choose(std::string_view word, std::string_view what, std::string_view expected,
               std::initializer_list<std::pair<std::string_view, Choice>> known, Choice& choice) {
  for (const auto& [name, value] : known) {
    if (lower(word) != name) continue;
    choice = value;
    return std::nullopt;
  }
  return fmt::format("this {} is not supported; expected {}", what, expected);
}

Problem read_banner(std::string_view line, MarketHeader& header) {
  std::string_view rest = line;
  if (lower(next_token(rest)) != "%%matrixmarket") {
    return "expected a banner such as '%%MatrixMarket matrix coordinate real general', found other text";
  }
  if (const auto object = next_token(rest); lower(object) != "matrix") {
    return "this object is not supported; expected matrix";
  }
  using Format = MarketFormat;
  using Field = MarketField;
  using Symmetry = MarketSymmetry;
  auto problem = choose<Format>(next_token(rest), "format", "coordinate or array",
                                {{"coordinate", Format::Coordinate}, {"array", Format::Array}}, header.format);
  if (problem) return problem;
  problem =
      choose<Field>(next_token(rest), "field", "real, integer or pattern",
                    {{"real", Field::Real}, {"integer", Field::Integer}, {"pattern", Field::Pattern}}, header.field);
  if (problem) return problem;
  problem = choose<Symmetry>(
      next_token(rest), "symmetry", "general, symmetric or skew-symmetric",
      {{"general", Symmetry::General}, {"symmetric", Symmetry::Symmetric}, {"skew-symmetric", Symmetry::SkewSymmetric}},
      header.symmetry);
  if (problem) return problem;
  if (header.field == Field::Pattern &&
      (header.format == Format::Array || header.symmetry == Symmetry::SkewSymmetric)) {
    return "a pattern has no values; expected coordinate and general or symmetric";
  }
  return std::nullopt;
}

Problem read_sizes(std::string_view line, MarketHeader& header) {
  const bool array = header.format == MarketFormat::Array;
  const std::string form = array ? "'rows columns'" : "'rows columns entries'";
  std::size_t sizes[3] = {};
  std::string_view rest = line;
  for (std::size_t k = 0; k < (array ? 2U : 3U); ++k) {
    const std::string_view token = next_token(rest);
    if (token.empty()) return fmt::format("expected {}, found {} fields", form, k);
    const Result<std::uint64_t> size = parse_whole(token);
    if (!size) return fmt::format("{}: {}", form, size.error().message);
    sizes[k] = *size;
  }
  if (!next_token(rest).empty()) return fmt::format("expected {}, found more fields", form);
  header.rows = sizes[0];
  header.cols = sizes[1];
  header.entries = sizes[2];
  return std::nullopt;
}

// Entries that an array file lists. Rows and columns are below 2^32, so nothing here overflows.
std::size_t listed_entries(const MarketHeader& header) {
  if (header.format == MarketFormat::Coordinate) return header.entries;
  const std::size_t n = header.rows;
  switch (header.symmetry) {
    case MarketSymmetry::General:
      return n * header.cols;
    case MarketSymmetry::Symmetric:
      return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
    case MarketSymmetry::SkewSymmetric:
      return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  }
  return 0;
}

Problem check_sizes(MarketHeader& header, std::size_t bytes_left) {
  constexpr std::size_t kMax = std::numeric_limits<std::uint32_t>::max();
  const std::string shape = fmt::format("{} x {}", header.rows, header.cols);
  if (header.rows == 0 || header.cols == 0) return "expected at least one row and one column, found " + shape;
  if (header.rows > kMax || header.cols > kMax) {
    return fmt::format("expected at most {} rows and columns, found {}", kMax, shape);
  }
  if (header.mirrored() && header.rows != header.cols)
    return "expected a square matrix for this symmetry, found " + shape;
  header.entries = listed_entries(header);
  // The shortest lines: "1", "1 1", "1 1 1", each with a line end but perhaps the last.
  const std::size_t shortest =
      header.format == MarketFormat::Array ? 2 : (header.field == MarketField::Pattern ? 4 : 6);
  if (header.entries > (bytes_left + 1) / shortest) {
    return fmt::format("more entries announced than the {} bytes that follow can hold", bytes_left);
  }
  if (header.format == MarketFormat::Coordinate && header.rows > plausible_length(bytes_left)) {
    return fmt::format("too many rows announced; expected at most {} in a file of this size",
                       plausible_length(bytes_left));
  }
  return std::nullopt;
}

}  // namespace

bool is_matrix_market(std::string_view content) {
  constexpr std::string_view kBanner = "%%matrixmarket";
  return lower(content.substr(0, kBanner.size())) == kBanner;
}

Result<MarketHeader> read_market_header(TextLines& lines, const std::filesystem::path& path) {
  MarketHeader header;
  if (!lines.next()) return error_in(path, "the file is blank");
  if (const auto problem = read_banner(lines.line(), header)) return error_at(path, 1, *problem);
  while (lines.next()) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty() || line.starts_with('%')) continue;
    if (const auto problem = read_sizes(line, header)) return error_at(path, lines.number(), *problem);
    if (const auto problem = check_sizes(header, lines.bytes_left())) return error_at(path, lines.number(), *problem);
    return header;
  }
  return error_in(path, "expected a line with the sizes after the banner, found none");
}

}  // namespace fedrk::io
