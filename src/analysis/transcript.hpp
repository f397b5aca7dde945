// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a server could keep of a run: everything that it was sent, beside the x that it had asked at. An engine around
// another records it, and whoever wonders what can be learned from it plays the server afterwards (record_attack.hpp).

#include <cstddef>
#include <span>
#include <vector>

#include "fedrk/engine.hpp"

namespace fedrk {

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
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;
  void repeated(const LocalTask& task, const RoundReplies& round) override { inner_.repeated(task, round); }

  const Transcript& transcript() const { return transcript_; }

 private:
  Engine& inner_;
  Transcript transcript_;
};

}  // namespace fedrk
