// SPDX-License-Identifier: Apache-2.0
#pragma once

// What distinguishes one federated method from another: what the clients are asked in a round, and what the server
// makes of their answers. The round loop, its accounting and its stopping (run.hpp) are the same for all.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fedrk/engine.hpp"
#include "fedrk/question.hpp"

namespace fedrk {

struct FitSummary;  // methods/fit_options.hpp

/// Who is asked.
enum class Audience {
  Drawn,     // S^(t), drawn for this round
  Turn,      // the next of the groups that are kept for the run (groups.hpp)
  Everyone,  // all groups, one after the other: the update gets the sum over all clients (sweep.hpp)
};

struct Request {
  LocalWork work;
  /// What every participant is sent: for most methods x itself, the span that was given; only then can the round ask
  /// for residuals. It stays in place until the update.
  std::span<const double> sent;
  /// Besides, own[i] goes to client i alone; empty: nothing does.
  std::span<const std::vector<double>> own{};
  Reveal reveal = Reveal::Updates;
  Audience audience = Audience::Drawn;
  /// It can do without: where owners allow no more, or somebody stays away, it is told so (`go_without`).
  bool optional = false;
};

/// What a fit knows of its own answer, from sums over all clients.
struct FitMeasure {
  double relative_residual = 0.0;  // ||b - A x|| / ||b||
  double criterion = 0.0;          // max_j |<a_j, r>| / (||a_j|| ||r||), the gradient of a penalty added
  bool holds = false;              // it is within the tolerance, or at rounding
  static constexpr auto fields(auto& self) { return std::tie(self.relative_residual, self.criterion, self.holds); }
};

class Method {
 public:
  virtual ~Method() = default;

  /// The request of round t, at the server's x.
  virtual Request request(RoundIndex t, std::span<const double> x) = 0;

  /// Moves `x` by what the participants answered; the replies are in client order, or one sum where that was asked for,
  /// and may be taken apart. Some may be missing.
  virtual void update(RoundIndex t, RoundReplies& round, std::span<double> x) = 0;

  /// True when a further round would bring nothing, whatever the tolerance.
  virtual bool finished() const { return false; }

  /// True where that is because the equations have no solution, or none that this precision can find.
  virtual bool contradictory() const { return false; }

  /// The name of what ran, as results have it.
  virtual std::string_view name() const { return "other"; }

  /// True where the answer is a fit, whose residual need not vanish: a tolerance is then one of what stands in its
  /// place.
  virtual bool fits() const { return false; }

  /// The criterion of a fit at its answer; nothing before it was measured, and for equations, whose residual the round
  /// loop measures.
  virtual std::optional<FitMeasure> measure() const { return std::nullopt; }

  /// What a fit tells of the model; nothing for equations.
  virtual const FitSummary* fit() const { return nullptr; }

  /// There is no answer to an optional request.
  virtual void go_without(const std::string& /*reason*/) {}

  /// Some clients stay away for good: the method begins anew with the others, from x.
  virtual void begin_anew(std::span<const ClientId> /*others*/) {}

  /// False where nobody may be asked for a residual, in no round and not at the end.
  virtual bool may_ask_residuals() const { return true; }

  /// The answer that the server's `x` stands for: for most methods x itself. Valid until the next call.
  virtual std::span<const double> answer(std::span<const double> x) { return x; }

  /// What was chosen or met on the way that a user should know, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }

  /// Lists all that changes from round to round (src/round/state_stream.hpp), as it is after an update. False: the
  /// method has no such list, and its runs are resumed by repeating their answers.
  virtual bool state(StateStream& /*stream*/) { return false; }
};

}  // namespace fedrk
