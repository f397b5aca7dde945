// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which clients have had their say since something last changed: with partial participation a round speaks for a few.

#include <cstddef>
#include <span>
#include <vector>

#include "fedrk/base/client_id.hpp"

namespace fedrk {

class Roll {
 public:
  explicit Roll(std::size_t clients) : seen_(clients, false), missing_(clients) {}

  void clear() {
    if (missing_ < seen_.size()) seen_.assign(seen_.size(), false);
    missing_ = seen_.size();
  }
  void add(std::span<const ClientId> clients) {
    for (const ClientId client : clients) {
      if (seen_[client.value]) continue;
      seen_[client.value] = true;
      --missing_;
    }
  }
  bool complete() const { return missing_ == 0; }

 private:
  std::vector<bool> seen_;
  std::size_t missing_;
};

}  // namespace fedrk
