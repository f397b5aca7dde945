// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program that runs beside the test: started, signalled, watched, and gone with this object. It is the head of a
// process group of its own, so that what it started goes too; and it goes when the test itself is killed.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/outcome.hpp"

namespace fedrk::test {

using std::chrono::milliseconds;

/// Looks every two milliseconds whether it is so; says whether it was before the time was over.
bool wait_until(milliseconds limit, const std::function<bool()>& it_is_so);

class Process {
 public:
  /// Runs the words as a command in `folder`. Its outputs go to the files NAME.out and NAME.err of `streams`, behind
  /// what is there already: a program that is started again goes on with its files.
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::filesystem::path& streams, const std::string& name);
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();  // kills it

  pid_t id() const { return id_; }
  bool running();

  /// To the whole group, if it still runs: SIGTERM, SIGKILL, SIGSTOP, SIGCONT.
  void signal(int number);

  /// The exit code, 128 + n after signal n; nothing if it still runs after that time.
  std::optional<int> wait(milliseconds limit);

  /// Kills it if need be, and waits for its end.
  void kill();

  /// What it has printed so far, this time.
  std::string out() const;
  std::string err() const;

 private:
  void note_end(int status);

  std::filesystem::path out_, err_;
  std::uintmax_t out_begin_ = 0, err_begin_ = 0;
  pid_t id_ = -1;
  std::optional<int> exit_code_;
};

/// Runs a command to its end.
Outcome run_command(const std::vector<std::string>& arguments, milliseconds limit = std::chrono::seconds(30),
                    const std::filesystem::path& folder = ".");

}  // namespace fedrk::test
