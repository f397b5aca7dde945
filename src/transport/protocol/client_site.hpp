// SPDX-License-Identifier: Apache-2.0
#pragma once

// What lies behind the protocol at a client, one site around the other:
//
//     ClientProtocol -> ConsentSite -> MaskingSite -> RowsSite
//                       may it be      with which     the numbers
//                       answered       mask
//
// Each passes a question on, or refuses it, and may change the answer on its way back. So the innermost knows nothing
// of masks, and a new rule of the owner or another protection of answers is a site beside these.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "plan/plan.hpp"
#include "secure_sum/masker.hpp"
#include "transport/protocol/messages.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {

/// Why a question is not answered.
struct Refused {
  std::string reason;                       // for the server
  std::string detail{};                     // what is wrong with its data or files, for its own log alone
  std::optional<std::uint32_t> answered{};  // the attempt at this task that was answered last, where that is why
};

constexpr const char* kUnfit = "its data do not fit this plan; its own log says why";

template <class Body>
using Answered = std::variant<Body, Refused>;

/// A run, as the server described it to all clients alike.
struct RunTerms {
  std::string run;
  std::string text;  // the description, to the byte
  bool masked = false;
  io::Plan plan{};
  io::ResolvedPlan decided{};
};

/// What all clients are told alike of a preparation.
inline std::string common_bytes(const wire::Prepare& prepare) { return bytes_of(prepare.run, prepare.question); }

struct AskedTask {
  const wire::Task& message;
  wire::ReceivedTask task;
  masking::Digest digest{};  // in a masked run, of all that the server said; ConsentSite sets it
};

class ClientSite {
 public:
  virtual ~ClientSite() = default;

  /// Begins a run. The terms stay where they are; nothing else is asked after they change, until this is.
  virtual Answered<wire::Ready> answer(const RunTerms& terms) = 0;
  /// In a masked run, before any question: who takes part.
  virtual std::optional<Refused> meet(const wire::MaskingGroup& group) = 0;
  virtual Answered<wire::ColumnSums> answer(const wire::SumColumns& question) = 0;
  virtual Answered<wire::Prepared> answer(const wire::Prepare& question) = 0;
  /// Asked again, the answer is the same. REQUIRES: prepared, and a task that was checked against these rows.
  virtual Answered<wire::Update> answer(AskedTask& asked) = 0;
};

}  // namespace fedrk::network
