// SPDX-License-Identifier: Apache-2.0
#include "methods/private_mean.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "fedrk/error.hpp"
#include "linalg/kernels.hpp"
#include "round/state_stream.hpp"

namespace fedrk {
namespace {

std::string brief(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

}  // namespace

PrivateMean::PrivateMean(privacy::PrivacyPlan plan) : plan_(std::move(plan)) {
  if (plan_.rounds.empty()) throw InvalidArgument("a run needs at least one round");
}

Request PrivateMean::request(RoundIndex, std::span<const double> x) {
  if (made_ == plan_.rounds.size()) throw InvalidArgument("all that this run may tell of its rows has been told");
  return {plan_.rounds[made_].pass, x, {}, Reveal::Sums, Audience::Turn};
}

void PrivateMean::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  ++made_;  // it was asked for, and is spent whether or not it was answered
  if (round.answered.size() < plan_.min_answers || round.replies.empty()) {
    ++short_rounds_;
    return;
  }
  axpy(1.0 / static_cast<double>(round.answered.size()), round.replies.front().values, x);
}

bool PrivateMean::state(StateStream& stream) {
  stream(made_, short_rounds_);
  return true;
}

std::vector<std::string> PrivateMean::notes() const {
  std::vector<std::string> notes{
      "Differential privacy with epsilon " + brief(plan_.epsilon) + " and delta " + brief(plan_.delta) + " (rho " +
      brief(plan_.rho) + ") for each row: " + std::to_string(plan_.rounds.size()) + " rounds of steps clipped at " +
      brief(plan_.rounds.front().pass.clip) + " to " + brief(plan_.rounds.back().pass.clip) + ", with noise of " +
      brief(plan_.rounds.front().sigma) + " to " + brief(plan_.rounds.back().sigma) + " in sums over at least " +
      std::to_string(plan_.min_answers) + " participants."};
  if (short_rounds_ > 0) {
    notes.push_back("In " + std::to_string(short_rounds_) + " of the rounds fewer than " +
                    std::to_string(plan_.min_answers) +
                    " participants answered: their sums were not used, as they have less noise than planned.");
  }
  return notes;
}

privacy::PublicShape public_shape(std::span<const ClientSummary> roster, std::size_t unknowns,
                                  std::size_t participants) {
  privacy::PublicShape shape{
      .clients = roster.size(), .unknowns = unknowns, .participants = participants == 0 ? roster.size() : participants};
  for (const ClientSummary& client : roster) {
    shape.rows += client.rows;
    shape.max_rows = std::max(shape.max_rows, client.rows);
  }
  return shape;
}

}  // namespace fedrk
