// SPDX-License-Identifier: Apache-2.0
#pragma once

// What lies behind the protocol at a client, one site around the other:
//
//     ClientProtocol -> MaskingSite -> ConsentSite -> RowsSite
//                       what others    may it be      the numbers
//                       said, masks    answered
//
// MaskingSite takes messages: it believes nobody but the signatures of the others, and hands on what they told
// together. The sites within take questions in the clear, pass them on or refuse them, and may change an answer on its
// way back. So a rule of the owner never sees a mask, and a new rule is a site beside these.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plan/plan.hpp"
#include "secure_sum/masker.hpp"
#include "transport/protocol/data_owner.hpp"
#include "transport/protocol/messages.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {

/// Why a question is not answered.
struct Refused {
  std::string reason;    // for the server
  std::string detail{};  // what is wrong with its data or files, for its own log alone
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

struct TableFacts {
  TableShape shape;
  masking::Digest table{};  // in a masked run, names the rows
};

/// Who takes part in a masked run, as they said themselves.
struct RunGroup {
  struct Member {
    std::string name;
    std::uint64_t rows = 0;
    masking::Digest table{};
    bool sparse = false;
  };
  std::vector<Member> members;                // by place
  std::vector<std::vector<ClientId>> groups;  // that sums are over; the members of each ascend
  ClientId self{};

  std::uint64_t rows_of(std::span<const ClientId> clients) const {
    std::uint64_t rows = 0;
    for (const ClientId client : clients) rows += members[client.value].rows;
    return rows;
  }
  const std::vector<ClientId>& own_group() const {
    for (const auto& group : groups) {
      for (const ClientId client : group) {
        if (client == self) return group;
      }
    }
    return groups.front();
  }
};

/// How many sites have a column that varies among their rows, how many one that is not zero, and how many one of ones:
/// by column, without the intercept, and last of the target.
struct ColumnCounts {
  std::vector<double> varying, present, ones;
};

struct ColumnFacts {
  ColumnSums sums;
  ColumnCounts counts;  // of this site: ones and zeros; in a masked run
};

struct Preparation {
  io::PrepareRows question;
  ColumnCounts counts;  // over all sites, in a masked run
  ClientId place{};
};

struct PreparedFacts {
  io::PreparedRows rows;
  Allowance allowance{};
};

struct AskedTask {
  wire::ReceivedTask task;
  masking::Digest digest{};  // in a masked run, of all that makes the answer
};

class ClientSite {
 public:
  virtual ~ClientSite() = default;

  /// Begins a run. The terms stay where they are; nothing else is asked after they change, until this is.
  virtual Answered<TableFacts> begin(const RunTerms& terms) = 0;
  /// In a masked run, before any question: who takes part.
  virtual std::optional<Refused> meet(const RunGroup& group) = 0;
  virtual Answered<ColumnFacts> sum_columns(const io::SumColumns& question) = 0;
  virtual Answered<PreparedFacts> prepare(const Preparation& question) = 0;
  /// Asked again, the answer is the same. REQUIRES: prepared, and a task that was checked against these rows.
  virtual Answered<LocalReply> answer(AskedTask& asked) = 0;
};

}  // namespace fedrk::network
