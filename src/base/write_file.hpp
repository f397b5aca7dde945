// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace fedrk::io {

/// Writes a file whole or not at all: to a temporary beside it, which then takes its name. A full disk leaves what was
/// there before. A link is followed; a device is written to as it is, as nothing can take its name.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

/// Makes the folder where it is missing, and says so where nothing can be written into it.
Result<void> make_writable_folder(const std::filesystem::path& folder);

}  // namespace fedrk::io
