// SPDX-License-Identifier: Apache-2.0
#pragma once

// The outermost site of a client: turns messages into questions and answers into messages. In a masked run every answer
// leaves as a part of a sum that only all clients together make readable. It does not rely on the server: it shows its
// key with a signature, wants signed keys and numbers of rows of the others, adds up the sums of the columns itself
// from everyone's signed parts, and names all masks by what it was told of plan, group and preparation, which stay for
// the run what they were when they first came. Clients that were told different things send what does not cancel.

#include <memory>
#include <optional>
#include <string>

#include "ops/log.hpp"
#include "pki/own_credentials.hpp"
#include "secure_sum/masker.hpp"
#include "secure_sum/replay_guard.hpp"
#include "transport/protocol/client_site.hpp"

namespace fedrk::network {

struct MaskingOptions {
  std::string name;
  std::optional<security::Credentials> credentials{};  // none: nothing is signed, as connections are not
};

class MaskingSite {
 public:
  /// All of these outlive it.
  MaskingSite(MaskingOptions options, ClientSite& inner, store::ReplayGuard& guard, operation::Log& log)
      : options_(std::move(options)), inner_(inner), guard_(guard), log_(log) {}

  Answered<wire::Ready> answer(const RunTerms& terms);
  std::optional<Refused> meet(const wire::MaskingGroup& group);
  Answered<wire::ColumnSums> answer(const wire::SumColumns& message);
  Answered<wire::Prepared> answer(const wire::Prepare& message);
  /// Asked again, the answer is the same. REQUIRES: prepared, and a task that was checked against these rows.
  Answered<wire::Update> answer(const wire::Task& message, wire::ReceivedTask task);

 private:
  struct Totals {
    io::ColumnTotals columns;
    ColumnCounts counts;
  };
  std::optional<Refused> pin(const char* kind, const masking::Digest& value, const char* otherwise,
                             bool for_ever = false);
  Answered<RunGroup> believed(const wire::MaskingGroup& group);
  masking::Digest name_of(const io::SumColumns& question) const;
  Result<Totals> totals_of(const io::PrepareRows& asked, const wire::RelayedParts& parts) const;
  Result<void> add_up(const io::SumColumns& question, const std::vector<wire::SignedPart>& parts, Totals& totals,
                      std::vector<double>& sums) const;
  std::optional<Refused> keep_preparation(const io::PrepareRows& prepared);
  masking::Words masked(const masking::Digest& question, const masking::PartLayout& layout,
                        std::optional<masking::Words> part, std::span<const ClientId> participants) const;
  Answered<wire::Update> masked_answer(const wire::Task& message, AskedTask& asked);
  std::vector<ClientId> everyone() const;
  std::size_t fixed_columns() const { return terms_->plan.intercept ? 1 : 0; }

  MaskingOptions options_;
  ClientSite& inner_;
  store::ReplayGuard& guard_;
  operation::Log& log_;
  const RunTerms* terms_ = nullptr;
  std::optional<RunGroup> group_;
  std::vector<wire::Membership> memberships_;           // by place
  std::size_t unknowns_ = 0;                            // as prepared
  masking::Digest plan_{}, company_{}, preparation_{};  // of these
  std::unique_ptr<masking::Masker> masker_;             // in a masked run
};

}  // namespace fedrk::network
