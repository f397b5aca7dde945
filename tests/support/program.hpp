// SPDX-License-Identifier: Apache-2.0
#pragma once

// The program as a user runs it: a command line in a folder, its two outputs and its exit code.

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/outcome.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::test {

class Program {
 public:
  /// Runs `fedrk ARGUMENTS` through the shell with `folder()` as working directory.
  Outcome run(const std::string& arguments, const std::string& before = "") const {
    return shell(before + " '" FEDRK_PROGRAM "' " + arguments);
  }

  /// Runs any command there.
  Outcome shell(const std::string& command) const {
    const std::string out = (streams_.path() / "out").string(), err = (streams_.path() / "err").string();
    const std::string line =
        "cd '" + folder_.path().string() + "' && (" + command + ") >'" + out + "' 2>'" + err + "' </dev/null";
    const int status = std::system(line.c_str());  // NOLINT: the tests' own command line
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), streams_.read("out"),
            streams_.read("err")};
  }

  const TempFolder& folder() const { return folder_; }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

 private:
  TempFolder folder_, streams_;
};

}  // namespace fedrk::test
