// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's side of masked sums: shows its key, meets the others, and turns every answer into a part of a sum that
// only all of them together make readable. It does not rely on the server: it insists on enough participants, on keys
// that are signed, and answers each question once. Plan, masking group and preparation of a run are what they were when
// they first came, and go into the names of all masks: clients that were told different things send what does not
// cancel. Work that is the same function of x each time is answered together with one group of clients, the same for
// the run.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "checkpoint/privacy_budget.hpp"
#include "fedrk/engine.hpp"
#include "methods/privacy_plan.hpp"
#include "ops/log.hpp"
#include "pki/own_credentials.hpp"
#include "secure_sum/masker.hpp"
#include "secure_sum/replay_guard.hpp"
#include "transport/protocol/data_owner.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {

struct MaskedClientOptions {
  std::string name;
  std::optional<security::Credentials> credentials{};  // none: keys are not signed, as connections are not
  store::ReplayGuard* book = nullptr;                  // none: in memory
  std::size_t min_sum = 3;                             // participants of a sum at least; 0: all clients of the run
  PrivacyBudget budget{};
};

class MaskedClient {
 public:
  MaskedClient(MaskedClientOptions options, operation::Log& log);

  /// Whether this client may take part in a plan of that much differential privacy, or of none.
  Result<void> agree_to(const std::string& run, const privacy::PrivacyOptions& plan) const;

  /// For a run that begins, or goes on. `plan` is all that the server said of it.
  Result<wire::MaskKey> begin(const std::string& run, std::string_view plan,
                              const privacy::PrivacyOptions& privacy = {});
  Result<void> set_peers(const wire::MaskingGroup& masking_group);
  bool has_peers() const { return masker_ && masker_->masking_group() > 0; }

  /// Numbers for a sum over all clients, before the rounds. `about` is all that the server said.
  Result<masking::Words> sum_over_all(const std::string& kind, std::string_view about, std::span<const double> numbers);
  /// How the rows are prepared, for this run and for good. To be called before anybody looks at the rows for it: what
  /// becomes of them tells something, and a server could else ask as often as it likes. `preparation` is all that the
  /// server said of it to all clients alike.
  Result<void> prepare(ClientId place, std::string preparation);
  /// The norms of the rows as they were prepared, for a sum over all.
  Result<masking::Words> norms(std::span<const double> numbers);

  /// Why a task is not answered; with the attempt that was answered last, where that is why.
  struct Refused {
    std::string reason;
    std::optional<std::uint32_t> answered{};
  };
  /// Whether it may be answered; its draws are then set, and what it tells of the rows is on the ledger.
  std::optional<Refused> admit(const wire::Task& message, wire::ReceivedTask& task, const io::PreparedRows& rows);
  /// What is sent. From then on the task counts as answered, and nothing else may be sent to it. REQUIRES: admitted.
  Result<masking::Words> answer(const wire::Task& message, const wire::ReceivedTask& task, const LocalReply& reply);

 private:
  std::string wrong_masking_group(const wire::ReceivedTask& task) const;
  std::string other_group(const wire::ReceivedTask& task);
  std::string wrong_steps(const LocalTask& task);
  std::string over_budget(const wire::Task& message, const wire::ReceivedTask& task, const io::PreparedRows& rows,
                          bool repeated) const;
  masking::Key common_name(const wire::Task& message) const;

  MaskedClientOptions options_;
  operation::Log& log_;
  std::unique_ptr<store::ReplayGuard> own_book_;  // where none was given
  store::ReplayGuard& book_;
  /// By run, the steps that it asked for: it may not change them, also where the server spoke of another meanwhile.
  std::map<std::string, std::optional<StepBudget>> steps_;
  std::string run_, preparation_text_;
  privacy::PrivacyOptions privacy_;                        // of the plan
  masking::Key plan_{}, masking_group_{}, preparation_{};  // the names of these
  std::unique_ptr<masking::Masker> masker_;
};

}  // namespace fedrk::network
