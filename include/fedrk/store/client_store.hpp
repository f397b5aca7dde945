// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client that takes part over a network keeps from one process to the next, in its own folder: the seed of its
// draws and, for each run, the slack after its last answer. Neither ever leaves it.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedrk/base/result.hpp"

namespace fedrk::store {

class ClientStore {
 public:
  struct Slack {
    std::uint64_t task = 0;  // number of the task that it was saved for
    std::vector<double> state;
  };

  /// Makes folder and file where they are missing.
  static Result<ClientStore> open(const std::filesystem::path& folder);

  ClientStore(ClientStore&&) noexcept;
  ClientStore& operator=(ClientStore&&) noexcept;
  ~ClientStore();

  /// 64 random bits, drawn once and kept in the file `secret` that only its owner may read.
  Result<std::uint64_t> secret_seed();

  /// To be called before the answer of that task is sent. A smaller number than the last is refused: answering it from
  /// the slack of a later round would tell the server something else than it believes.
  Result<void> save_slack(const std::string& run, std::uint64_t task, std::span<const double> state);
  Result<std::optional<Slack>> load_slack(const std::string& run) const;

  /// What a task of that number may not be asked for any more, in words; nothing where it is fine.
  Result<void> check_task(const std::string& run, std::uint64_t task) const;

  /// The run is over.
  Result<void> forget(const std::string& run);

 private:
  struct Inside;
  explicit ClientStore(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace fedrk::store
