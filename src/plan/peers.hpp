// SPDX-License-Identifier: Apache-2.0
#pragma once

// Those who load a federation together, each the clients of its own: the ranks of a job, or one process alone. All of
// them call the same functions in the same order, so that loading is written down once.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fedrk::io {

class Peers {
 public:
  virtual ~Peers() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t count() const = 0;

  /// Everyone's text, in order of rank, for everyone.
  virtual std::vector<std::string> exchange(std::string mine) = 0;

  /// A sum in order of rank: zeros at first, to which each adds its own and hands them on. For everyone.
  virtual std::vector<double> sum_in_order(std::size_t length, const std::function<void(std::span<double>)>& add) = 0;
};

/// One process that has all clients.
class Alone final : public Peers {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t count() const override { return 1; }
  std::vector<std::string> exchange(std::string mine) override { return {std::move(mine)}; }
  std::vector<double> sum_in_order(std::size_t length, const std::function<void(std::span<double>)>& add) override {
    std::vector<double> sum(length, 0.0);
    add(sum);
    return sum;
  }
};

}  // namespace fedrk::io
