// SPDX-License-Identifier: Apache-2.0
#pragma once

// The flags that describe a synthetic problem, for the commands that make one.

#include <string>
#include <vector>

#include "cli.hpp"
#include "fedrk/generate.hpp"

namespace fedrk::app {

struct GeneratorFlags {
  GeneratorOptions problem;
  std::string kind;  // its name; empty: not given
  std::string size;  // one of the flags of `sizes` that was given; empty: none was

  /// The kind of problem, as a flag or argument of this name.
  Flag kind_flag(const std::string& name, const std::string& group = "Options");
  /// --rows, --cols, --nonzeros, --noise, --density. They come after the kind, which has a say in their defaults.
  std::vector<Flag> sizes(const std::string& group = "Options");
};

}  // namespace fedrk::app
