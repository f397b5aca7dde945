// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a federation says over the network. docs/protocol.md tells the story: who speaks when, and what is refused. Each
// struct lists its fields once, and has its bytes by that (base/fields.hpp); chunks.hpp carries them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/byte_stream.hpp"
#include "fedrk/aligned_vector.hpp"
#include "plan/setup.hpp"
#include "secure_sum/part.hpp"

namespace fedrk::wire {

/// Another list of fields, order or kind of message is another number. Hello and Welcome begin with it in every
/// version.
constexpr std::uint32_t kProtocol = 8;

/// Bytes that are no text: text must be UTF-8.
using Bytes = std::vector<std::uint8_t>;
inline Bytes bytes_from(std::string_view bytes) { return {bytes.begin(), bytes.end()}; }
inline std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT: bytes as text
}

// ---- Joining.

struct Hello {
  std::uint32_t protocol = kProtocol;
  std::string software{};    // for the log
  std::string name{};        // as in the certificate
  bool known_draws = false;  // its random draws derive from the plan's seed, which the server knows: for tests
  static constexpr auto fields(auto& self) {
    return std::tie(self.protocol, self.software, self.name, self.known_draws);
  }
};

/// An entry of a plan file, as text.
struct PlanEntry {
  std::string name{};
  std::vector<std::string> values{};
  static constexpr auto fields(auto& self) { return std::tie(self.name, self.values); }
};

struct Welcome {
  std::uint32_t protocol = kProtocol;
  std::string run{};               // names the run; in every task and answer
  std::vector<PlanEntry> plan{};   // what a client needs of it
  bool masked = false;             // whatever clients send of their rows is masked: the server sees sums only
  std::uint32_t heartbeat_ms = 0;  // a client is to be heard at least so often
  static constexpr auto fields(auto& self) {
    return std::tie(self.protocol, self.run, self.plan, self.masked, self.heartbeat_ms);
  }
};

/// What a client says of itself to the others of a masked run, whom only the server connects, and the proof that it is
/// the one who says so: the signature, with the key of its certificate, of run, name and all that stands here
/// (secure_sum/signed_statements.hpp). Without TLS there is no proof.
struct Membership {
  Bytes key{};  // X25519, for masks
  std::uint64_t rows = 0;
  bool sparse = false;        // which decides whether columns are centred
  Bytes table{};              // names the rows without telling anything of them: another name is another table
  std::string certificate{};  // PEM
  Bytes signature{};
  static constexpr auto fields(auto& self) {
    return std::tie(self.key, self.rows, self.sparse, self.table, self.certificate, self.signature);
  }
};

/// The client has read its data.
struct Ready {
  std::uint64_t rows = 0, columns = 0;
  std::vector<std::string> names{};  // of the columns; none where the data have no names
  bool sparse = false;
  bool open_ended = false;  // a file whose last columns may be empty: the server may ask for more columns
  Membership membership{};  // in a masked run
  static constexpr auto fields(auto& self) {
    return std::tie(self.rows, self.columns, self.names, self.sparse, self.open_ended, self.membership);
  }
};

/// In a masked run, before anything is asked: everyone who takes part, so that each pair has its secret, and the groups
/// that sums will be over, as long as the run goes.
struct MaskingGroup {
  struct Member {
    std::string name{};
    Membership membership{};
    static constexpr auto fields(auto& self) { return std::tie(self.name, self.membership); }
  };
  std::string run{};
  std::vector<Member> members{};                // by place
  std::vector<std::vector<ClientId>> groups{};  // each member is in one of them
  std::uint32_t place = 0;                      // of this client
  static constexpr auto fields(auto& self) { return std::tie(self.run, self.members, self.groups, self.place); }
};

struct Heartbeat {
  static constexpr auto fields(auto&) { return std::tie(); }
};

// ---- The set-up: sums over all clients become means and scales (plan/setup.hpp).

/// The words of a client's part of a sum of columns, and its signature of them and of what was asked. The server passes
/// everyone's on, and each client adds them up itself: so no total is the server's word.
struct SignedPart {
  masking::Words words{};
  Bytes signature{};
  static constexpr auto fields(auto& self) { return std::tie(self.words, self.signature); }
};

/// By place: the answers to the sum of the values, where there was one, and to the last sum.
struct RelayedParts {
  std::vector<SignedPart> values{}, last{};
  static constexpr auto fields(auto& self) { return std::tie(self.values, self.last); }
};

/// In a masked run the question knows no totals; they are made of the parts.
struct SumColumns {
  std::string run{};
  io::SumColumns question{};
  RelayedParts parts{};
  static constexpr auto fields(auto& self) { return std::tie(self.run, self.question, self.parts); }
};

struct ColumnSums {
  std::string run{};
  std::uint64_t rows = 0;
  io::SumColumns::Of of = io::SumColumns::Of::Entries;
  std::vector<double> sums{};  // none in a masked run, which has
  SignedPart part{};           // in their place, with the counts of the columns
  static constexpr auto fields(auto& self) { return std::tie(self.run, self.rows, self.of, self.sums, self.part); }
};

struct Prepare {
  std::string run{};
  io::PrepareRows question{};
  RelayedParts parts{};
  std::uint32_t place = 0;  // of this client among all, from 0
  static constexpr auto fields(auto& self) { return std::tie(self.run, self.question, self.parts, self.place); }
};

struct Prepared {
  std::string run{};
  std::uint64_t rows = 0;
  std::uint64_t unknowns = 0;  // the intercept and noise columns with them
  double squared_rhs_norm = 0.0, squared_norm = 0.0;
  masking::Words masked_norms{};  // in a masked run both of them, as the words of a part
  Allowance allowance{};          // in a masked run: how much more the owner's rules let sums show
  static constexpr auto fields(auto& self) {
    return std::tie(self.run, self.rows, self.unknowns, self.squared_rhs_norm, self.squared_norm, self.masked_norms,
                    self.allowance);
  }
};

// ---- Rounds.

/// `Numbers` is a vector where it arrives and a span where it is sent: x is copied once, into the bytes.
template <class Numbers>
struct BasicTask {
  std::string run{};
  std::uint64_t number = 0;                // of the task among those of this server, by which answers are told apart
  std::optional<std::int32_t> exponent{};  // of a masked sum: values are in units of 2^exponent; none: wide integers,
                                           // as cross-products always are
  Bytes question{};                        // round, work, flags, columns, participants (round/question_bytes.hpp)
  Numbers x{}, own{};                      // `own` is for this client alone; none in a masked run
  static constexpr auto fields(auto& self) {
    return std::tie(self.run, self.number, self.exponent, self.question, self.x, self.own);
  }
};
using Task = BasicTask<AlignedVector>;
using TaskView = BasicTask<std::span<const double>>;

struct Update {
  std::string run{};
  std::uint64_t number = 0;
  std::uint32_t round = 0;
  bool part = false;  // of a sum: alone it need not mean anything
  std::optional<double> squared_residual{}, gap{};
  AlignedVector values{};
  std::optional<masking::Words> masked{};  // the words of a part, which holds all numbers of the answer
  static constexpr auto fields(auto& self) {
    return std::tie(self.run, self.number, self.round, self.part, self.squared_residual, self.gap, self.values,
                    self.masked);
  }
};

/// What was asked could not be done.
struct Refusal {
  std::string run{}, reason{};
  std::optional<std::uint64_t> number{};  // of the task; none: of what came before the tasks
  static constexpr auto fields(auto& self) { return std::tie(self.run, self.reason, self.number); }
};

// ---- The end.

struct End {
  std::string status{};  // "finished:completed", ...
  std::string reason{};
  bool final = false;  // false: the server goes away but may come back to this run
  std::vector<std::string> names{};
  std::vector<double> coefficients{};
  static constexpr auto fields(auto& self) {
    return std::tie(self.status, self.reason, self.final, self.names, self.coefficients);
  }
};

// ---- What travels.

using ClientMessage = std::variant<Hello, Ready, Heartbeat, ColumnSums, Prepared, Update, Refusal>;
using ServerMessage = std::variant<Welcome, MaskingGroup, SumColumns, Prepare, Task, End>;

/// The number of a kind of message, which its bytes begin with.
template <class Body, class... Bodies>
consteval std::size_t index_in(std::type_identity<std::variant<Bodies...>>) {
  std::size_t index = 0;
  const bool found = ((std::same_as<Body, Bodies> || (++index, false)) || ...);
  return found ? index : std::variant_npos;
}
template <class Body>
inline constexpr std::size_t kAnswerKind = index_in<Body>(std::type_identity<ClientMessage>{});

template <class Body, class Message>
bool holds(const Message& message) {
  return std::holds_alternative<Body>(message);
}

/// The bytes of the message that holds this task.
inline std::string bytes_of_message(const TaskView& task) {
  return bytes_of(static_cast<std::uint8_t>(index_in<Task>(std::type_identity<ServerMessage>{})), task);
}

// ---- What a server keeps of its federation, for the day when it is started again.

struct StoredFederation {
  struct Member {
    std::string name{};
    Ready ready{};
    Prepared prepared{};
    bool known_draws = false;
    static constexpr auto fields(auto& self) {
      return std::tie(self.name, self.ready, self.prepared, self.known_draws);
    }
  };
  std::vector<Member> members{};
  std::vector<std::vector<ClientId>> groups{};
  Prepare prepare{};          // as for the client at place 0
  io::ColumnTotals totals{};  // where the message has parts in their place
  static constexpr auto fields(auto& self) { return std::tie(self.members, self.groups, self.prepare, self.totals); }
};

}  // namespace fedrk::wire
