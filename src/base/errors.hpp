// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two shapes of a reader's complaint: "path: fact" and "path:line: fact".

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "fedrk/error.hpp"

namespace fedrk::io {

inline Error error_in(const std::filesystem::path& path, std::string_view fact) {
  return {path.string().append(": ").append(fact)};
}

inline Error error_at(const std::filesystem::path& path, std::size_t line, std::string_view fact) {
  return {path.string().append(":").append(std::to_string(line)).append(": ").append(fact)};
}

}  // namespace fedrk::io
