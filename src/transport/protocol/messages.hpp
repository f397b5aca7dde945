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
constexpr std::uint32_t kProtocol = 7;

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

/// A client's key for the masks of one run, and the proof that it is its own: the signature, with the key of its
/// certificate, of the run, its name and this key (secure_sum/mask_key.cpp). Without TLS there is no proof.
struct MaskKey {
  Bytes key{};                // X25519
  std::string certificate{};  // PEM
  Bytes signature{};
  static constexpr auto fields(auto& self) { return std::tie(self.key, self.certificate, self.signature); }
};

/// The client has read its data.
struct Ready {
  std::uint64_t rows = 0, columns = 0;
  std::vector<std::string> names{};  // of the columns; none where the data have no names
  bool sparse = false;
  bool open_ended = false;  // a file whose last columns may be empty: the server may ask for more columns
  MaskKey mask_key{};       // in a masked run
  static constexpr auto fields(auto& self) {
    return std::tie(self.rows, self.columns, self.names, self.sparse, self.open_ended, self.mask_key);
  }
};

/// In a masked run, before anything is asked: everyone who takes part, so that each pair has its secret.
struct MaskingGroup {
  struct Member {
    std::string name{};
    MaskKey key{};
    static constexpr auto fields(auto& self) { return std::tie(self.name, self.key); }
  };
  std::string run{};
  std::vector<Member> members{};  // by place
  std::uint32_t place = 0;        // of this client
  static constexpr auto fields(auto& self) { return std::tie(self.run, self.members, self.place); }
};

struct Heartbeat {
  static constexpr auto fields(auto&) { return std::tie(); }
};

// ---- The set-up: sums over all clients become means and scales (plan/setup.hpp).

struct SumColumns {
  std::string run{};
  io::SumColumns question{};
  static constexpr auto fields(auto& self) { return std::tie(self.run, self.question); }
};

struct ColumnSums {
  std::string run{};
  std::uint64_t rows = 0;
  bool squared = false;        // distances from the centre, squared
  std::vector<double> sums{};  // none in a masked run,
  masking::Words masked{};     // where these are the words of a part
  static constexpr auto fields(auto& self) {
    return std::tie(self.run, self.rows, self.squared, self.sums, self.masked);
  }
};

struct Prepare {
  std::string run{};
  io::PrepareRows question{};
  std::uint32_t place = 0;  // of this client among all, from 0
  static constexpr auto fields(auto& self) { return std::tie(self.run, self.question, self.place); }
};

struct Prepared {
  std::string run{};
  std::uint64_t rows = 0;
  std::uint64_t unknowns = 0;  // the intercept and noise columns with them
  double squared_rhs_norm = 0.0, squared_norm = 0.0;
  masking::Words masked_norms{};  // in a masked run both of them, as the words of a part
  static constexpr auto fields(auto& self) {
    return std::tie(self.run, self.rows, self.unknowns, self.squared_rhs_norm, self.squared_norm, self.masked_norms);
  }
};

// ---- Rounds.

/// `Numbers` is a vector where it arrives and a span where it is sent: x is copied once, into the bytes.
template <class Numbers>
struct BasicTask {
  std::string run{};
  std::uint64_t number = 0;                // counts the tasks of a run; asked again, the number is the same
  std::uint32_t attempt = 0;               // of a masked sum: another one has other participants, masks and draws
  std::optional<std::int32_t> exponent{};  // of a masked sum: values are in units of 2^exponent; none: wide integers,
                                           // as cross-products always are
  Bytes question{};                        // round, work, flags, columns, participants (round/question_bytes.hpp)
  Numbers x{}, own{};                      // `own` is for this client alone; none in a masked run
  static constexpr auto fields(auto& self) {
    return std::tie(self.run, self.number, self.attempt, self.exponent, self.question, self.x, self.own);
  }
};
using Task = BasicTask<AlignedVector>;
using TaskView = BasicTask<std::span<const double>>;

struct Update {
  std::string run{};
  std::uint64_t number = 0;
  std::uint32_t round = 0, attempt = 0;
  bool part = false;  // of a sum: alone it need not mean anything
  std::optional<double> squared_residual{}, gap{};
  AlignedVector values{};
  std::optional<masking::Words> masked{};  // the words of a part, which holds all numbers of the answer
  static constexpr auto fields(auto& self) {
    return std::tie(self.run, self.number, self.round, self.attempt, self.part, self.squared_residual, self.gap,
                    self.values, self.masked);
  }
};

/// What was asked could not be done.
struct Refusal {
  std::string run{}, reason{};
  std::optional<std::uint64_t> number{};    // of the task; none: of what came before the tasks
  std::uint32_t attempt = 0;                // of the task
  std::optional<std::uint32_t> answered{};  // the attempt at this task that it answered last: the server may make the
                                            // next
  static constexpr auto fields(auto& self) {
    return std::tie(self.run, self.reason, self.number, self.attempt, self.answered);
  }
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
  Prepare prepare{};  // as for the client at place 0
  static constexpr auto fields(auto& self) { return std::tie(self.members, self.prepare); }
};

}  // namespace fedrk::wire
