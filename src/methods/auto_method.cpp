// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/auto_method.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/baselines/conjugate_gradients.hpp"

namespace fedrk {
namespace {

constexpr double kRounding = 1e-14;  // of a gradient, beside the matrix and the right-hand side

// The gradient that counts as zero for a tolerance.
double small_gradient(std::span<const ClientSummary> roster, double tolerance) {
  const RosterTotals totals = totals_of(roster);
  return std::max(tolerance, kRounding) * std::sqrt(totals.squared_norm) * std::sqrt(totals.squared_rhs_norm);
}

}  // namespace

AutoMethod::AutoMethod(const AutoOptions& options, std::span<const ClientSummary> roster, std::size_t unknowns)
    : options_(options), roster_(roster.begin(), roster.end()), unknowns_(unknowns) {
  for (const ClientSummary& client : roster_) rows_ += client.rows;
  if (options_.only_least_squares) {
    begin_least_squares();
  } else {
    begin_hyperplanes();
  }
}

void AutoMethod::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  current_->update(t, round, x);
  if (hyperplanes_ != nullptr) look_at_hyperplanes(t, x);
}

// With all rounds kept there are at most about as many as unknowns, whatever the condition number.
void AutoMethod::look_at_hyperplanes(RoundIndex t, std::span<double> x) {
  const bool remembers_all = options_.hyperplanes.memory == HyperplaneMemory::kAll;
  const bool slow = hyperplanes_->judge().stalled() ||
                    hyperplanes_->judge().rounds_to_go().value_or(0.0) > 2.0 * static_cast<double>(unknowns_);
  const bool had_its_time = hyperplanes_->judge().rounds() > 2 * unknowns_;
  if (hyperplanes_->contradicted() || (remembers_all && hyperplanes_->judge().stalled() && had_its_time)) {
    contradicted_ = hyperplanes_->contradicted();
    left_ = t;
    std::ranges::copy(hyperplanes_->judge().best(), x.begin());
    begin_least_squares();
  } else if (slow && !remembers_all) {
    options_.hyperplanes.memory = HyperplaneMemory::kAll;
    slow_ = t;
    std::ranges::copy(hyperplanes_->judge().best(), x.begin());
    begin_hyperplanes();
  }
}

void AutoMethod::begin_hyperplanes() {
  auto method = std::make_unique<HyperplaneMethod>(options_.hyperplanes, roster_.size());
  hyperplanes_ = method.get();
  current_ = std::move(method);
}

void AutoMethod::begin_least_squares() {
  hyperplanes_ = nullptr;
  current_ = std::make_unique<ConjugateGradients>(roster_.size(), small_gradient(roster_, options_.tolerance));
}

std::vector<std::string> AutoMethod::notes() const {
  const bool summed = options_.hyperplanes.reveal == Reveal::Sums;
  const std::string memory = options_.hyperplanes.memory == HyperplaneMemory::kAll
                                 ? "all rounds"
                                 : std::to_string(options_.hyperplanes.memory) + " rounds";
  const std::string first = (summed ? "one summed hyperplane a round" : "every client's hyperplane") +
                            std::string(" with a memory of ") + memory;
  std::string text;
  if (hyperplanes_ != nullptr) {
    text = "Picked " + first + ": the equations do not contradict each other" +
           (rows_ < unknowns_ ? "; they leave a choice, and of their solutions the one nearest to the start is found."
                              : ".");
    if (slow_) text += " A shorter memory was too slow by round " + std::to_string(slow_->value + 1) + ".";
  } else {
    text = "Picked least squares by conjugate gradients, of everyone's sums";
    if (left_) {
      const std::string when = " by round " + std::to_string(left_->value + 1) + ".";
      text += contradicted_ ? ": the equations contradict each other, as " + first + " showed" + when
                            : ": with " + first + " the residual fell no further" + when;
    } else {
      text += ".";
    }
  }
  std::vector<std::string> notes{text};
  if (hyperplanes_ == nullptr) {
    for (std::string& note : current_->notes()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace fedrk
