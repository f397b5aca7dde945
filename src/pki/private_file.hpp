// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files that only their owner may read, and short text files in general.

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fedrk::security {

/// A text file of at most a megabyte.
Result<std::string> read_text_file(const std::filesystem::path& path);

/// Writes a file whole or not at all, with mode 0600 from its first byte on; replaces what is there.
Result<void> write_private_file(const std::filesystem::path& path, std::string_view content);

/// Makes a folder with mode 0700; an error where there is anything of that name.
Result<void> make_private_folder(const std::filesystem::path& path);

/// Whether the group or everyone may read the file. False where it cannot be told.
bool readable_by_others(const std::filesystem::path& path);

}  // namespace fedrk::security
