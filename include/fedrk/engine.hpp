// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one seam: how a round's task reaches the clients and how their answers return. Engines differ in nothing else;
// at the far end of each waits the same call, `Client::local_update(task)`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/client_id.hpp"
#include "fedrk/question.hpp"
#include "fedrk/round_index.hpp"

namespace fedrk {

/// What the server knows of a client before the first round.
struct ClientSummary {
  ClientId id;
  std::string name;
  std::size_t rows = 0;           // m_i
  double squared_rhs_norm = 0.0;  // ||b_i||^2
  double squared_norm = 0.0;      // of all entries of A_i together
  static constexpr auto fields(auto& self) {
    return std::tie(self.id, self.name, self.rows, self.squared_rhs_norm, self.squared_norm);
  }
};

/// All of them together.
struct RosterTotals {
  double rows = 0.0;
  double squared_rhs_norm = 0.0;  // ||b||^2
  double squared_norm = 0.0;      // ||A||_F^2
  static constexpr auto fields(auto& self) { return std::tie(self.rows, self.squared_rhs_norm, self.squared_norm); }
};
RosterTotals totals_of(std::span<const ClientSummary> roster);

/// What the server gets to see of a round: every client's answer, or only their sum.
enum class Reveal : std::uint8_t { Updates, Sums };
constexpr std::array<Reveal, 2> enumerators(Reveal) { return {Reveal::Updates, Reveal::Sums}; }

/// What a client is asked to do in a round.
struct LocalTask {
  RoundIndex round;
  std::span<const double> x;  // empty where the work needs none
  LocalWork work;
  bool report_residual = false;   // at x
  std::size_t noise_columns = 0;  // the last entries of x, which the residual leaves out: not part of the answer
  std::span<const std::vector<double>> own{};  // own[i] goes to client i alone; empty: nothing does
  Reveal reveal = Reveal::Updates;
  std::span<const std::uint32_t> columns{};  // the unknowns that x holds, ascending; empty: all of them
  bool patient = false;  // worth waiting for everyone, as long as for a client that joins: not for the clients to know
  /// Seed of all draws of this answer, which the client alone knows and never uses again; set by the client itself in
  /// runs where the server sees masked sums only. Unset: draws come from the client's seed and the round.
  std::optional<std::uint64_t> fresh_draws{};
  /// Standard Gaussian numbers for the noise of a private answer, one for each of its numbers, from a cryptographic
  /// source of the client's. Empty: from its stream, for trials in one process.
  std::span<const double> gaussians{};

  /// What every participant is told, beside the lists x, own and columns.
  static constexpr auto fields(auto& self) {
    return std::tie(self.round, self.work, self.report_residual, self.noise_columns, self.reveal);
  }
};

struct LocalReply {
  ClientId client;
  AlignedVector values;                      // Delta_i, how far local steps moved x; else what question.hpp says
  std::optional<double> squared_residual{};  // ||b_i - A_i x||^2 at the task's x, where it was asked for
  std::optional<double> gap{};  // gamma_i of a hyperplane that holds every solution, where it was asked for
  static constexpr auto fields(auto& self) {
    return std::tie(self.client, self.squared_residual, self.gap, self.values);
  }
};

/// How many numbers a reply sends.
std::size_t message_length(const LocalReply& reply);

/// All of them added up, entry by entry, in their order: what a server sees under Reveal::Sums. The sum belongs to
/// nobody; its `client` says nothing. REQUIRES: answers to this work, at least one, all alike.
LocalReply sum_of(const LocalWork& work, std::vector<LocalReply>&& parts);

/// sum += part
void add_reply(const LocalWork& work, const LocalReply& part, LocalReply& sum);

/// The same of values alone, as a whole or a stretch of them that begins at an even entry: pairs (question.hpp) are
/// added as double-doubles.
void add_values(const LocalWork& work, std::span<const double> part, std::span<double> sum);

/// The part of it that is not `values`: for those who add these up piece by piece.
void add_scalars(const LocalReply& part, LocalReply& sum);

/// A client that was asked and did not answer, or not usably. Data, not an exception: the round goes on without it.
struct Absence {
  ClientId client;
  std::string reason;
  static constexpr auto fields(auto& self) { return std::tie(self.client, self.reason); }
};

struct RoundReplies {
  std::vector<LocalReply> replies;  // in client order, whatever the order of arrival; under Reveal::Sums their one sum
  std::vector<Absence> absences{};
  std::vector<ClientId> answered{};  // whose answers are in `replies`, ascending
  /// Of the participants, at the x that they were sent; filled in by the round loop (history.hpp says how).
  std::optional<double> relative_residual{};
  /// Of the answer when it was first given, where it is only repeated now.
  double earlier_seconds = 0.0;

  /// What came from the clients.
  static constexpr auto fields(auto& self) { return std::tie(self.replies, self.absences, self.answered); }
};

/// How much more of the rows of any one group the owners' rules let the sums of this run show: vectors that are made of
/// the rows, and columns of sums of cross-products, which count alike.
struct Allowance {
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  std::uint64_t vectors = kNoLimit, columns = kNoLimit;
  static constexpr auto fields(auto& self) { return std::tie(self.vectors, self.columns); }
};

class Checkpoints;  // checkpoints.hpp
class StateStream;

class Engine {
 public:
  virtual ~Engine() = default;

  /// Every client that may be asked, entry i being ClientId{i}.
  virtual std::span<const ClientSummary> roster() const = 0;

  /// The length of x.
  virtual std::size_t dimension() const = 0;

  /// Carries the task to the participants and brings back what they answer, one by one or, where the task reveals no
  /// more, as their sum with the list of those in it. The same task gives the same answer. May throw RunAborted
  /// (run_aborted.hpp).
  virtual RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) = 0;

  /// Where owners set limits: what is left of them.
  virtual Allowance allowance() const { return {}; }
  /// Whether answers come from owners who need not trust each other: what sums made is then held against another sum.
  virtual bool wants_certificate() const { return false; }

  /// Told in place of being asked, where the answer is known from an earlier process: an engine whose answers depend on
  /// earlier ones goes on as if it had asked.
  virtual void repeated(const LocalTask& /*task*/, const RoundReplies& /*round*/) {}

  /// Where a run on this engine leaves its state now and then; nullptr: nowhere.
  virtual Checkpoints* checkpoints() { return nullptr; }

  /// What later answers depend on of earlier ones.
  virtual void state(StateStream& /*stream*/) {}
};

}  // namespace fedrk
