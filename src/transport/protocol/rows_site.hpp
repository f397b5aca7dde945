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

  Answered<wire::Ready> answer(const RunTerms& terms) override;
  std::optional<Refused> meet(const wire::MaskingGroup&) override { return std::nullopt; }
  Answered<wire::ColumnSums> answer(const wire::SumColumns& question) override;
  Answered<wire::Prepared> answer(const wire::Prepare& question) override;
  Answered<wire::Update> answer(AskedTask& asked) override;

 private:
  DataOwner& owner_;
  operation::Log& log_;
};

}  // namespace fedrk::network
