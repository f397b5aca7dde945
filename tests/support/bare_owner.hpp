// SPDX-License-Identifier: Apache-2.0
#pragma once

// An owner of rows for tests that look at other things than what their records are.

#include "transport/protocol/data_owner.hpp"

namespace fedrk::test {

class BareOwner : public network::DataOwner {
 public:
  Result<std::vector<std::string>> record_columns() const override { return std::vector<std::string>{"u"}; }
  Result<std::vector<std::uint64_t>> record_hashes(std::uint64_t, std::span<const std::string>) const override {
    return std::vector<std::uint64_t>{1, 2, 3};
  }
  Result<std::vector<ColumnKind>> count_columns() override { return std::vector<ColumnKind>(); }
};

}  // namespace fedrk::test
