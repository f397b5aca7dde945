// SPDX-License-Identifier: Apache-2.0
#include "data/record_hashes.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "base/errors.hpp"
#include "base/hash.hpp"
#include "base/mapped_file.hpp"
#include "base/text_lines.hpp"
#include "data/csv_fields.hpp"
#include "data/csv_header.hpp"
#include "linalg/row_products.hpp"

namespace fedrk::io {
namespace {

/// Of one column: what its cells add to the hashes of their records.
class CellHash {
 public:
  CellHash(std::uint64_t salt, std::string_view column) {
    hash_.add(salt);
    hash_.add(column);
  }
  std::uint64_t operator()(double value) const {
    if (value == 0.0) return 0;
    Hash hash = hash_;
    hash.add(std::bit_cast<std::uint64_t>(value));
    return hash.value();
  }
  std::uint64_t operator()(std::string_view text) const {
    Hash hash = hash_;
    hash.add(text);
    return hash.value();
  }

 private:
  Hash hash_;
};

std::uint64_t of_record(std::uint64_t sum) {
  Hash hash;
  hash.add(sum);
  return hash.value();
}

}  // namespace

Result<std::vector<std::uint64_t>> csv_record_hashes(const std::filesystem::path& path, std::uint64_t salt,
                                                     std::span<const std::string> columns) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  TextLines lines(*file);
  if (!lines.next()) return error_in(path, "the file is blank");
  const Result<CsvHeader> header = read_csv_names(lines.line(), path);
  if (!header) return header.error();
  std::vector<std::optional<CellHash>> cells;
  for (const std::string& name : header->names) {
    cells.push_back(std::ranges::binary_search(columns, name) ? std::optional(CellHash(salt, name)) : std::nullopt);
  }
  std::vector<std::uint64_t> hashes;
  while (lines.next()) {
    std::uint64_t sum = 0;
    std::size_t at = 0;
    for (const auto& cell : cells) {
      if (at > lines.line().size()) break;  // who reads the table says what is wrong with it
      double value = 0.0;
      if (quick_number(lines.line(), header->delimiter, at, value)) {
        if (cell) sum += (*cell)(value);
        continue;
      }
      CsvFields fields(lines.line(), header->delimiter, at);
      if (!fields.next()) return error_at(path, lines.number(), fields.problem());
      at = fields.position();
      if (cell) sum += (*cell)(fields.text());
    }
    hashes.push_back(of_record(sum));
  }
  std::ranges::sort(hashes);
  return hashes;
}

std::vector<std::string> record_columns(std::size_t columns) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < columns; ++j) names.push_back("x" + std::to_string(j + 1));
  names.emplace_back("b");
  return names;
}

std::vector<std::uint64_t> record_hashes(const LinearSystem& system, std::uint64_t salt,
                                         std::span<const std::string> columns) {
  std::vector<std::string> all = record_columns(column_count(system.rows));
  std::vector<std::optional<CellHash>> cells;
  for (const std::string& name : all) {
    cells.push_back(std::ranges::binary_search(columns, name) ? std::optional(CellHash(salt, name)) : std::nullopt);
  }
  std::vector<std::uint64_t> hashes(row_count(system.rows), 0);
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          for_each_entry(matrix.row(i), [&](std::size_t j, double value) {
            if (cells[j]) hashes[i] += (*cells[j])(value);
          });
        }
      },
      system.rows);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (cells.back()) hashes[i] += (*cells.back())(system.rhs[i]);
    hashes[i] = of_record(hashes[i]);
  }
  std::ranges::sort(hashes);
  return hashes;
}

}  // namespace fedrk::io
