// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two answers under one mask would tell their difference. The first word of a part is one, and its mask: parts with the
// same first word have the same mask, and must then be the same part.

#include <cstdint>
#include <map>
#include <string>

#include "fuzz/fuzz_input.hpp"
#include "transport/protocol/messages.hpp"

namespace fedrk::fuzz {

class MaskWatch {
 public:
  /// What a client says in a run that is masked or not.
  void see(const wire::ClientMessage& message, bool masked) {
    if (const auto* sums = std::get_if<wire::ColumnSums>(&message)) {
      FUZZ_PROMISE(masked ? sums->sums.empty() : sums->part.words.empty());
      see(sums->part.words);
    } else if (const auto* prepared = std::get_if<wire::Prepared>(&message)) {
      FUZZ_PROMISE(!masked || (prepared->squared_norm == 0.0 && prepared->squared_rhs_norm == 0.0));
      see(prepared->masked_norms);
    } else if (const auto* update = std::get_if<wire::Update>(&message)) {
      FUZZ_PROMISE(update->masked.has_value() == masked && (!masked || update->values.empty()));
      if (update->masked) see(*update->masked);
    }
  }

 private:
  void see(const masking::Words& words) {
    if (words.empty()) return;
    FUZZ_PROMISE(words.front() > 1);  // a mask of zeros is none
    const auto [known, is_new] = words_.try_emplace(words.front(), words);
    FUZZ_PROMISE(is_new || known->second == words);
  }
  std::map<std::uint64_t, masking::Words> words_;
};

}  // namespace fedrk::fuzz
