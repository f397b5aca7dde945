// SPDX-License-Identifier: Apache-2.0

// The README's commands: every line of its shell blocks that starts with build/bin/fedrk is run here, in order, in one
// folder, so none of them can rot. A comment "# exit code 3" after a command says how it ends; others end with 0.

#include <fstream>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "support/program.hpp"

namespace fedrk {
namespace {

// Commands of the fenced blocks, with continued lines joined.
std::vector<std::string> commands_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> commands;
  std::string line;
  bool fenced = false;
  while (std::getline(in, line)) {
    if (line.starts_with("```")) fenced = !fenced;
    if (!fenced || line.starts_with("```")) continue;
    while (line.ends_with('\\')) {
      std::string next;
      std::getline(in, next);
      line = line.substr(0, line.size() - 1) + next;
    }
    if (line.starts_with("build/bin/fedrk ")) commands.push_back(line.substr(line.find(' ') + 1));
  }
  return commands;
}

class CommandsOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Documents, CommandsOf, testing::Values("README.md", "docs/guide.md"),
                         [](const auto& test) { return test.param.starts_with("R") ? "Readme" : "Guide"; });

TEST_P(CommandsOf, AllWork) {
  const test::Program program;
  ASSERT_EQ(program.shell("ln -s '" FEDRK_SOURCE "/data' data").exit_code, 0);
  const auto commands = commands_of(std::string(FEDRK_SOURCE) + "/" + GetParam());
  ASSERT_GE(commands.size(), 3);

  const std::string comment = "  # exit code ";
  for (const std::string& command : commands) {
    const std::size_t end = command.find(comment);
    const int expected = end == std::string::npos ? 0 : std::stoi(command.substr(end + comment.size()));
    const auto ended = program.run(command.substr(0, end));
    EXPECT_EQ(ended.exit_code, expected) << command << "\n" << ended.err;
  }
}

}  // namespace
}  // namespace fedrk
