// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only round loop. With FedrkMethod it is FedRK, the paper's Algorithm 1. In round t
//
//   1. the server draws S^(t), some of the clients;
//   2. each starts at x^(t), makes tau steps on its own rows and answers with Delta_i;
//   3. the server drops every Delta_i = 0 and reads the others as hyperplanes;
//   4. it makes tau_g steps over these from x^(t), and where asked keeps only the s largest entries: that is x^(t+1).
//
// Another method (method.hpp) asks for other work in step 2 and has its own steps 3 and 4.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedrk/engine.hpp"
#include "fedrk/history.hpp"
#include "fedrk/method.hpp"
#include "fedrk/steps.hpp"
#include "fedrk/stop_signal.hpp"

namespace fedrk {

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint32_t rounds = 1000;                         // T
  std::uint32_t first_round = 0;                       // its number, where rounds of another run came before
  std::size_t participants = 0;                        // |S^(t)|; 0: all
  std::size_t min_group = 1;                           // clients of a kept group at least (groups.hpp)
  StepBudget local_budget = FixedSteps{20};            // tau
  StepBudget server_budget = FixedSteps{20};           // tau_g
  RowSampling server_sampling = RowSampling::Uniform;  // the authors' own code draws by squared norm
  std::size_t sparsity = 0;                            // s; 0: no thresholding
  std::size_t noise_columns = 0;                       // the last entries of x, which are not part of the answer
  double tolerance = 0.0;                              // stop at this relative residual; 0: do not look
  std::uint32_t patience = 0;                          // stop after this many rounds without progress; 0: never
  std::uint32_t residual_every = 0;  // ask for residuals every so many rounds; 0: chosen by `residual_interval`

  /// Return the last x whatever its residual, for those who judge iterates themselves; else the best that was measured.
  bool last_iterate = false;

  static constexpr std::uint32_t kNever = 0xFFFFFFFF;  // for `residual_every`: only at the end of the run

  /// Throws InvalidArgument where the options do not fit a federation of that many clients and unknowns.
  void validate(std::size_t clients, std::size_t unknowns) const;
};

/// How many rounds apart residuals are asked for. A residual costs a client m_i row products, its steps 2 tau: the
/// interval keeps the first below about a quarter of the second, but stays short enough for stopping and for a history
/// that shows something.
std::uint32_t residual_interval(std::span<const ClientSummary> roster, const RunOptions& options);

/// Watches a run: a progress bar, a log, a count. `x` is the answer after the round, without noise columns.
class RoundObserver {
 public:
  virtual ~RoundObserver() = default;
  virtual void on_round(const RoundRecord& record, std::span<const double> x) = 0;
  /// Lists what it has learned from the rounds, where a resumed run needs it: it does not show them again.
  virtual void state(StateStream& /*stream*/) {}
};

struct RunResult {
  std::vector<double> x;  // the answer, without noise columns
  Termination termination = Termination::RoundLimit;
  RunHistory history;
  /// At x, over all clients; absent where one of them did not answer.
  std::optional<double> relative_residual;
  /// Whether the criterion was measured to hold at x, over all clients: for equations that the relative residual is
  /// within the tolerance or the backward error at rounding, for a fit that every column is orthogonal to the residual.
  /// Absent where nothing may be measured.
  std::optional<bool> converged;
  std::optional<double> criterion;   // of a fit
  std::vector<ClientId> left_out{};  // clients that stayed away for good; the answer is that of the others
  std::string method;                // as Method::name
  std::uint64_t bytes_up = 0;        // of all rounds and of the last look at everyone's residual
  std::uint64_t bytes_down = 0;
  std::vector<std::string> notes;  // of the method
  bool fits = false;               // as Method::fits at the end
  double earlier_seconds = 0.0;    // of all answers that were only repeated (engine.hpp)
};

class FederatedRun {
 public:
  explicit FederatedRun(RunOptions options) : options_(options) {}

  /// Runs FedRK from `x0` (empty: zero). Throws InvalidArgument where options, engine and start do not
  /// fit each other.
  RunResult run(Engine& engine, std::vector<double> x0 = {}, std::span<RoundObserver* const> observers = {},
                const StopSignal* stop = nullptr) const;

  /// The same rounds with another method, which takes the place of the options that only FedRK has.
  RunResult run(Engine& engine, Method& method, std::vector<double> x0 = {},
                std::span<RoundObserver* const> observers = {}, const StopSignal* stop = nullptr) const;

 private:
  RunOptions options_;
};

}  // namespace fedrk
