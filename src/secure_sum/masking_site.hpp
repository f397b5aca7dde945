// SPDX-License-Identifier: Apache-2.0
#pragma once

// In a masked run, turns every answer of the site within into a part of a sum that only all clients together make
// readable; in other runs it changes nothing. It does not rely on the server: it shows its key with a signature, wants
// signed keys of the others, and names all masks by what it was told of plan, group and preparation, which stay for the
// run what they were when they first came. Clients that were told different things send what does not cancel.

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
  std::optional<security::Credentials> credentials{};  // none: keys are not signed, as connections are not
  bool varied = true;                                  // LocalTask::varied of its answers
};

class MaskingSite final : public ClientSite {
 public:
  MaskingSite(MaskingOptions options, ClientSite& inner, store::ReplayGuard& guard, operation::Log& log)
      : options_(std::move(options)), inner_(inner), guard_(guard), log_(log) {}

  Answered<wire::Ready> answer(const RunTerms& terms) override;
  std::optional<Refused> meet(const wire::MaskingGroup& group) override;
  Answered<wire::ColumnSums> answer(const wire::SumColumns& question) override;
  Answered<wire::Prepared> answer(const wire::Prepare& question) override;
  Answered<wire::Update> answer(AskedTask& asked) override;

 private:
  std::optional<Refused> pin(const std::string& kind, const masking::Digest& value, const char* otherwise);
  masking::Words masked(const std::string& kind, std::string_view about, std::span<const double> numbers) const;

  MaskingOptions options_;
  ClientSite& inner_;
  store::ReplayGuard& guard_;
  operation::Log& log_;
  const RunTerms* terms_ = nullptr;
  std::size_t unknowns_ = 0;                          // as prepared
  masking::Digest plan_{}, group_{}, preparation_{};  // of these
  std::unique_ptr<masking::Masker> masker_;           // in a masked run
};

}  // namespace fedrk::network
