// SPDX-License-Identifier: Apache-2.0
#pragma once

// Commands and their flags as tables. cli.cpp, the one file that knows the library which parses command lines, turns
// them into help texts, values and error messages.

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "plan/options.hpp"

namespace fedrk::app {

/// Takes what was given for a flag: one text for each time; of a switch "true" or "false".
using Setter = std::function<Result<void>(const io::OptionValues& values)>;

struct Flag {
  std::string name;   // without its dashes
  std::string value;  // placeholder of its value: "FILE"; empty: a switch, which takes none
  std::string help;
  Setter set;
  std::string shown{};                   // the default, as --help shows it
  std::string group{"Options"};          // heading in --help; empty: the flag is not listed
  bool common = true, required = false;  // a flag that is not common is left to --help-all
};

/// A flag of another command, or of an earlier version, with the reason why it is not taken.
struct RefusedFlag {
  std::string name, reason;
};

struct Command {
  std::string name, about;
  std::vector<Flag> arguments;  // by position; "FILE..." takes any number
  std::vector<Flag> flags;
  std::vector<RefusedFlag> refused{};  // the command's own flags are passed over
  std::string footer{};
  std::function<int()> run;  // returns the exit code
};

struct Program {
  std::string name, about, version, footer;
  std::vector<Command> commands;
};

/// Runs the command that the arguments name, or prints help or what is wrong with them. Returns the exit code.
int run(const Program& program, int argc, char** argv);

struct Failure {
  std::string message;
  int exit_code;
};

/// What to say of the exception that is being handled.
Failure current_failure();

}  // namespace fedrk::app
