// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the clients of a plan live while it is carried out: in this process, or on the ranks of a job. The commands
// that carry out plans know no more of it.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "fedrk/engine.hpp"
#include "fedrk/in_process_engine.hpp"
#include "plan/federation.hpp"

namespace fedrk::app {

struct LaunchedFederation {
  io::Problem problem{};
  std::unique_ptr<Engine> engine{};  // none: this process has served another one until the end of its run
};

class Launcher {
 public:
  virtual ~Launcher() = default;

  /// "in this process", for the help.
  virtual std::string where() const = 0;

  /// False where another process carries out the run, and this one only helps.
  virtual bool leads() const { return true; }

  /// All who take part go on, or none: the error of one is that of all.
  virtual Result<void> agree(Result<void> mine) { return mine; }

  /// Reads the files and makes the clients. `threads` 0: as many as there are cores for this process.
  virtual Result<LaunchedFederation> launch(const io::Plan& plan, std::size_t threads) = 0;

  /// What to say at the start of a run that is kept in this folder; empty: nothing.
  virtual std::string advice(const std::filesystem::path&) const { return ""; }
};

class LocalLauncher final : public Launcher {
 public:
  std::string where() const override { return "in this process"; }
  Result<LaunchedFederation> launch(const io::Plan& plan, std::size_t threads) override {
    auto federation = io::make_federation(plan);
    if (!federation) return federation.error();
    return LaunchedFederation{std::move(federation->problem),
                              std::make_unique<InProcessEngine>(std::move(federation->clients), threads)};
  }
};

}  // namespace fedrk::app
