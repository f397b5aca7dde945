// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one seam: how a round's task reaches the clients and how their answers return. Engines differ in nothing else;
// at the far end of each waits the same call, `Client::local_update(task)`.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedrk/base/client_id.hpp"
#include "fedrk/base/round_index.hpp"
#include "fedrk/federated/local_work.hpp"
#include "fedrk/linalg/aligned_vector.hpp"

namespace fedrk {

/// What the server knows of a client before the first round.
struct ClientSummary {
  ClientId id;
  std::string name;
  std::size_t rows = 0;           // m_i
  double squared_rhs_norm = 0.0;  // ||b_i||^2
};

/// What a client is asked to do in a round.
struct LocalTask {
  RoundIndex round;
  std::span<const double> x;  // empty where the work needs none
  LocalWork work;
  bool report_residual = false;   // at x
  std::size_t noise_columns = 0;  // the last entries of x, which the residual leaves out: not part of the answer
  std::span<const std::vector<double>> own{};  // own[i] goes to client i alone; empty: nothing does
};

struct LocalReply {
  ClientId client;
  AlignedVector values;                    // Delta_i, how far local steps moved x; else what local_work.hpp says
  std::optional<double> squared_residual;  // ||b_i - A_i x||^2 at the task's x, where it was asked for
};

/// A client that was asked and did not answer, or not usably. Data, not an exception: the round goes on without it.
struct Absence {
  ClientId client;
  std::string reason;
};

struct RoundReplies {
  std::vector<LocalReply> replies;  // in client order, whatever the order of arrival
  std::vector<Absence> absences;
};

class Engine {
 public:
  virtual ~Engine() = default;

  /// Every client that may be asked, entry i being ClientId{i}.
  virtual std::span<const ClientSummary> roster() const = 0;

  /// The length of x.
  virtual std::size_t dimension() const = 0;

  /// Carries the task to the participants and brings back what they answer. The same task gives the same answer.
  virtual RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) = 0;
};

}  // namespace fedrk
