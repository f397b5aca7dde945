// SPDX-License-Identifier: Apache-2.0
#include "data/npy_header.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/number.hpp"
#include "base/scan.hpp"
#include "base/shown.hpp"
#include "data/npy.hpp"

namespace fedrk::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// What the dictionary says, before it is judged.
struct NpyDictionary {
  std::string_view descr;
  std::string_view fortran_order;
  std::optional<std::string_view> shape;  // without its parentheses
};

// Takes a piece of Python from the front: a 'string', a (tuple) or [list] without its brackets, or a bare word.
std::optional<std::string_view> take_value(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const char open = rest.front();
  const bool bare = open != '\'' && open != '"' && open != '(' && open != '[';
  const char close = open == '(' ? ')' : (open == '[' ? ']' : open);
  const std::size_t end = bare ? rest.find_first_of(" ,:}\n") : rest.find(close, 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view value = bare ? rest.substr(0, end) : rest.substr(1, end - 1);
  rest.remove_prefix(bare ? end : end + 1);
  return value;
}

// Skips blanks, then takes `c` where it stands next.
bool take(char c, std::string_view& rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n')) rest.remove_prefix(1);
  if (!rest.starts_with(c)) return false;
  rest.remove_prefix(1);
  return true;
}

std::optional<NpyDictionary> parse_dictionary(std::string_view rest) {
  NpyDictionary found;
  if (!take('{', rest)) return std::nullopt;
  while (!take('}', rest)) {
    const auto key = take_value(rest);
    if (!key || !take(':', rest)) return std::nullopt;
    take(' ', rest);
    const bool structured = rest.starts_with('['), tuple = rest.starts_with('(');
    const auto value = take_value(rest);
    if (!value) return std::nullopt;
    if (*key == "descr") found.descr = structured ? "a record" : *value;
    if (*key == "fortran_order") found.fortran_order = *value;
    if (*key == "shape" && tuple) found.shape = *value;
    if (structured) break;  // nested brackets; the type is refused anyway
    take(',', rest);
    take(' ', rest);
  }
  return found;
}

std::optional<std::string> read_type(std::string_view type, NpyHeader& header) {
  if (type == "<f8" || type == "<f4") {
    header.item_bytes = type == "<f8" ? 8 : 4;
    return std::nullopt;
  }
  constexpr std::string_view kExpected = "expected '<f8' (float64) or '<f4' (float32)";
  if (type == "|O" || type == "O") return "the file holds Python objects; save float64";
  if (type == "a record") return fmt::format("the file holds records with named fields; {}", kExpected);
  if (type.starts_with('>')) return fmt::format("the numbers are big-endian ({}); {}", shown(type), kExpected);
  return fmt::format("dtype {} is not supported; {}", shown(type), kExpected);
}

// (3, 4), also where the file holds something else between the parentheses.
std::string tuple_text(std::string_view inside) {
  const std::string quoted = shown(inside);
  return "(" + quoted.substr(1, quoted.size() - 2) + ")";
}

// The sizes between the parentheses; nothing where they are not whole numbers with commas between them.
std::optional<std::vector<std::size_t>> split_shape(std::string_view rest) {
  std::vector<std::size_t> sizes;
  while (!trimmed(rest).empty()) {
    const std::size_t comma = rest.find(',');
    const Result<std::uint64_t> size = parse_whole(rest.substr(0, comma));
    if (!size) return std::nullopt;
    sizes.push_back(*size);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return sizes;
}

std::optional<std::string> read_shape(std::string_view shape, NpyHeader& header) {
  const auto sizes = split_shape(shape);
  if (!sizes) return "expected a shape such as (3, 4), found text";
  if (sizes->empty() || sizes->size() > 2) return "expected 1 or 2 dimensions, found shape " + tuple_text(shape);
  header.rows = sizes->front();
  header.cols = sizes->size() == 2 ? sizes->back() : 1;
  if (header.rows == 0 || header.cols == 0) {
    return "expected at least one row and one column, found shape " + tuple_text(shape);
  }
  if (header.rows > std::numeric_limits<std::size_t>::max() / header.item_bytes / header.cols) {
    return "shape " + tuple_text(shape) + " is too large";
  }
  return std::nullopt;
}

// Where the dictionary starts, and that it ends within the file.
std::optional<std::string> find_dictionary(std::string_view content, std::string_view& dictionary, NpyHeader& header) {
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(content[i])); };
  if (!is_npy(content)) return "expected an NPY file, found other content";
  if (content.size() < 12) return "the file ends within the header";
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) return fmt::format("NPY version {} is not supported; expected 1, 2 or 3", version);
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | (byte(9) << 8U);
  if (version > 1) length |= (byte(10) << 16U) | (byte(11) << 24U);
  if (length > content.size() - start) return "the file ends within the header";
  dictionary = content.substr(start, length);
  header.data_offset = start + length;
  return std::nullopt;
}

}  // namespace

bool is_npy(std::string_view content) { return content.starts_with(kMagic); }

Result<NpyHeader> read_npy_header(std::string_view content, const std::filesystem::path& path) {
  NpyHeader header;
  std::string_view text;
  if (const auto problem = find_dictionary(content, text, header)) return error_in(path, *problem);
  const auto dictionary = parse_dictionary(text);
  if (!dictionary || dictionary->descr.empty()) return error_in(path, "malformed NPY header");
  if (const auto problem = read_type(dictionary->descr, header)) return error_in(path, *problem);
  header.fortran_order = dictionary->fortran_order == "True";
  if (!dictionary->shape || (!header.fortran_order && dictionary->fortran_order != "False")) {
    return error_in(path, "malformed NPY header");
  }
  if (const auto problem = read_shape(*dictionary->shape, header)) return error_in(path, *problem);

  const std::size_t expected = header.rows * header.cols * header.item_bytes;
  const std::size_t found = content.size() - header.data_offset;
  if (expected != found) {
    return error_in(path, fmt::format("expected {} bytes of data for shape {}, found {}", expected,
                                      tuple_text(*dictionary->shape), found));
  }
  return header;
}

}  // namespace fedrk::io
