// SPDX-License-Identifier: Apache-2.0
#pragma once

// The innermost site: the owner's rows, whose answers are numbers in the clear.

#include "ops/log.hpp"
#include "transport/protocol/client_site.hpp"
#include "transport/protocol/data_owner.hpp"

namespace fedrk::network {

class RowsSite final : public ClientSite {
 public:
  RowsSite(DataOwner& owner, operation::Log& log) : owner_(owner), log_(log) {}

  Answered<TableFacts> begin(const RunTerms& terms) override;
  std::optional<Refused> meet(const RunGroup&) override { return std::nullopt; }
  Answered<ColumnFacts> sum_columns(const io::SumColumns& question) override;
  Answered<PreparedFacts> prepare(const Preparation& question) override;
  Answered<LocalReply> answer(AskedTask& asked) override;

 private:
  DataOwner& owner_;
  operation::Log& log_;
};

}  // namespace fedrk::network
