// SPDX-License-Identifier: Apache-2.0
#pragma once

// The attacks of a curious server: which of a client's records (a, b) can be had from its updates?
//
// After any finite number of steps the client stands on the hyperplane of the row that it used last,
//
//     <a, x + Delta> = b,
//
// so the points p = x + Delta of many rounds lie on m_i hyperplanes, as many as there are records. Who finds the
// hyperplanes has the records, up to a factor, and entirely where a column is known to be one, such as the intercept.
// The records are in the units that the clients step in: standardised where the columns were.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fedrk/engine.hpp"
#include "fedrk/system.hpp"
#include "linalg/random/row_sampler.hpp"

namespace fedrk {

// What a server could keep of a run: everything that it was sent, beside the x that it had asked at. An engine around
// another records it, and whoever wonders what can be learned from it plays the server afterwards.

/// One thing that the server saw: a client's answer, or a sum of answers.
struct Observation {
  RoundIndex round;
  LocalWork work;                 // what had been asked for
  std::vector<double> x;          // at which point
  std::vector<ClientId> clients;  // whose answer it is, or whose are in the sum
  LocalReply reply;
};

using Transcript = std::vector<Observation>;

/// How far a client's steps went from an x, as the server knows it.
struct SeenUpdate {
  RoundIndex round;
  std::vector<double> x;
  std::vector<double> delta;
};

/// The displacements that are one client's own, sums over this client alone included. The steps of the
/// sparse method are not on its equations: what they answer is left out.
std::vector<SeenUpdate> updates_of(const Transcript& transcript, ClientId client);

/// The displacements that are sums over two clients or more, read as if one client had sent them: as they are, or as
/// the mean of those in them. No more than a hope of the server's.
enum class ReadAs { Sum, Mean };
std::vector<SeenUpdate> sums_as_updates(const Transcript& transcript, ReadAs read_as);

/// Passes everything on and keeps what comes back.
class RecordingEngine final : public Engine {
 public:
  /// REQUIRES: `inner` outlives this.
  explicit RecordingEngine(Engine& inner) : inner_(inner) {}

  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  Allowance allowance() const override { return inner_.allowance(); }
  bool wants_certificate() const override { return inner_.wants_certificate(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;
  void repeated(const LocalTask& task, const RoundReplies& round) override { inner_.repeated(task, round); }

  const Transcript& transcript() const { return transcript_; }

 private:
  Engine& inner_;
  Transcript transcript_;
};

struct RecoveredRecord {
  std::vector<double> a;  // with 1 in the known column; else of length one, its largest entry positive
  double b = 0.0;
  std::size_t support = 0;  // how many points lie on its hyperplane
};

struct AttackOptions {
  std::optional<std::size_t> ones{};  // the column that is known to be 1 in every record
  std::uint64_t seed = 1;             // of the attacker's own draws
  std::size_t patience = 300;         // so many starts without a new record, and the search ends
};

/// tau = 1, or a client with a single row: Delta is a multiple of a row.
std::vector<RecoveredRecord> recover_from_single_steps(std::span<const SeenUpdate> updates,
                                                       const AttackOptions& options = {});

/// Finite tau, of whose draws the server knows nothing. Seeks hyperplanes that hold many points to rounding: from a
/// hyperplane through some of the points, least squares that are reweighted by
///
///     1 / (r^2 + eps^2),    r the distances of the points, eps falling,
///
/// end at such a hyperplane or near none; it starts again from other points, and without those already explained.
std::vector<RecoveredRecord> recover_from_points(std::span<const SeenUpdate> updates,
                                                 const AttackOptions& options = {});

/// About how many operations that takes where nothing is found. A record that is found begins the count anew.
double search_cost(std::size_t points, std::size_t unknowns, const AttackOptions& options = {});

/// What a server knows that knows a client's seed.
struct KnownDraws {
  std::uint64_t seed = 0;
  std::size_t rows = 0;  // m_i, none of them zero
  std::uint64_t steps = 20;
  RowSampling sampling = RowSampling::SquaredNorm;
};

/// Finite tau with known draws: these tell which points share a row, and each group of points gives its hyperplane.
/// With rows drawn by squared norm the table of the draws is unknown, but a slot of it only holds two rows, parted by
/// one threshold (row_sampler.hpp). Nothing comes from greedy steps, which draw nothing.
std::vector<RecoveredRecord> recover_with_draws(std::span<const SeenUpdate> updates, const KnownDraws& draws,
                                                const AttackOptions& options = {});

/// What a server could try that sees sums only: takes each sum, and the mean over those in it, for one client's update,
/// from x and from 0, and makes records of these by single steps and by points. Most are no records at all, so what
/// comes of it has to be counted by `count_matches`.
std::vector<RecoveredRecord> recover_from_sums(const Transcript& transcript, const AttackOptions& options = {});

/// Whether the client holds this record: some of its points lie on the hyperplane to rounding (relative 1e-9), more
/// than chance would put there. Rounds that moved x by no more than rounding tell nothing and do not count.
bool holds(std::span<const double> a, double b, std::span<const SeenUpdate> updates);

/// How many of the true records are among those recovered, to a relative `tolerance` of (a, b).
std::size_t count_matches(std::span<const RecoveredRecord> recovered, const LinearSystem& truth,
                          const AttackOptions& options = {}, double tolerance = 1e-6);

}  // namespace fedrk
