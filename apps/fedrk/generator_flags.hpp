// SPDX-License-Identifier: Apache-2.0
#pragma once

// The flags that describe a synthetic problem, for the commands that make one.

#include <map>
#include <string>

#include "fedrk/problem/generators.hpp"

namespace CLI {
class App;
}

namespace fedrk::app {

extern const std::map<std::string, ProblemKind> kProblemKinds;
extern const char* const kProblemKindHelp;

/// --rows, --cols, --nonzeros, --noise, --density, in the given group of the help.
void add_generator_flags(CLI::App& command, GeneratorOptions& problem, const std::string& group);

/// The paper's sparse problem is noisy; say --noise 0 for one that is not.
void set_default_noise(const CLI::App& command, GeneratorOptions& problem);

}  // namespace fedrk::app
