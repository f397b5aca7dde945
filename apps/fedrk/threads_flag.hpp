// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "fedrk/base/result.hpp"

namespace CLI {
class App;
}

namespace fedrk::app {

/// Adds --threads N; empty text means all cores.
void add_threads_flag(CLI::App& command, std::string& text);

/// The number that was given, 0 for all cores.
Result<std::size_t> thread_count(const std::string& text);

}  // namespace fedrk::app
