// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fedrk::bench {

/// What the times depend on: processor, caches, memory, system, compiler, instruction set. Names with their values.
std::vector<std::pair<std::string, std::string>> machine_description();

}  // namespace fedrk::bench
