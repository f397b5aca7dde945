// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/masked_rounds.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fedrk/error.hpp"
#include "round/accept_replies.hpp"
#include "round/run_aborted.hpp"
#include "round/task_cost.hpp"
#include "secure_sum/reply_part.hpp"
#include "transport/protocol/outgoing_tasks.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {

/// One question to a group, and what has become of it so far.
struct MaskedRounds::Asked {
  const LocalTask& task;
  std::span<const ClientId> participants;
  std::size_t values;  // in an answer
  masking::GridScale& scale;

  masking::Grid grid{};
  std::vector<masking::Words> parts{};
  std::vector<Absence> absences{};
  unsigned failures = 0;  // complete sums that could not be read
  RoundReplies round{};

  masking::PartLayout layout() const { return masking::layout_of(task, values, grid); }
};

RoundReplies MaskedRounds::sum(const LocalTask& task, std::span<const ClientId> participants) {
  if (task.reveal != Reveal::Sums) throw InvalidArgument("this method needs single updates: --reveal updates");
  const std::size_t unknowns = task.columns.empty() ? dimension_ : task.columns.size();
  Asked asked{task, participants, reply_length(task.work, unknowns).value_or(0), scales_[participants.front()]};
  bool over = false;
  while (!over) {
    asked.grid = asked.scale.next(task, participants.size());
    over = !collect(asked) || read(asked);
  }
  asked.round.absences = std::move(asked.absences);
  std::ranges::sort(asked.round.absences, {}, &Absence::client);
  accept_replies(task, unknowns, participants, asked.round);
  learn(task, asked.round);
  return std::move(asked.round);
}

void MaskedRounds::learn(const LocalTask& task, const RoundReplies& round) {
  if (round.replies.empty() || round.answered.empty()) return;
  shown_[round.answered.front()] += cost_of(task, dimension_).vectors;
  if (round.replies.front().values.empty()) return;
  scales_[round.answered.front()].learn(task, round.replies.front().values);
}

Allowance MaskedRounds::allowance() const {
  Allowance left = allowance_;
  if (left.vectors == Allowance::kNoLimit) return left;
  std::uint64_t most = 0;
  for (const auto& [first, vectors] : shown_) most = std::max(most, vectors);
  left.vectors -= std::min(left.vectors, most);
  left.columns -= std::min(left.columns, most);
  return left;
}

// Asks, and waits for those who may come back: a patient task for long. False where somebody stays away.
bool MaskedRounds::collect(Asked& asked) {
  const auto patience = protocol_.now() + options_.join_limit;
  const std::uint64_t number = next_number_++;
  wire::TaskView message = wire::task_message(options_.run, number, asked.task, asked.participants);
  message.exponent = asked.grid.exponent;
  const OutgoingTasks outgoing(std::move(message), {});
  ServerProtocol::Question question{.kind = wire::kAnswerKind<wire::Update>,
                                    .number = number,
                                    .outgoing = [&](ClientId client) { return outgoing(client); },
                                    .max_length = std::max(dimension_, asked.layout().words())};
  asked.parts.clear();
  std::vector<ClientId> missing(asked.participants.begin(), asked.participants.end());
  while (!missing.empty()) {
    std::vector<Absence> late;
    for (ServerProtocol::Answer& answer : protocol_.exchange(question, missing)) {
      if (!answer.message) {
        (answer.may_return ? late : asked.absences).push_back({answer.client, std::move(answer.absence)});
        continue;
      }
      auto& update = std::get<wire::Update>(*answer.message);
      const bool fits =
          update.masked && update.round == asked.task.round.value && update.masked->size() == asked.layout().words();
      if (fits) {
        asked.parts.push_back(*std::move(update.masked));
      } else {
        asked.absences.push_back({answer.client, "its answer is not the part that was asked for"});
        protocol_.report_wrong(answer.client, asked.absences.back().reason);
      }
    }
    missing.clear();
    const bool wait = asked.task.patient && asked.absences.empty() && protocol_.now() < patience;
    for (Absence& absence : late) {
      if (wait) {
        missing.push_back(absence.client);
      } else {
        asked.absences.push_back(std::move(absence));
      }
    }
    question.away_limit = options_.join_limit;
  }
  if (!asked.absences.empty() && asked.task.patient) give_up(asked);
  return asked.absences.empty();
}

// The sum, unless the grid was wrong for somebody's numbers or for all of them together: then they are asked for
// without one.
bool MaskedRounds::read(Asked& asked) {
  const masking::PartLayout layout = asked.layout();
  masking::Words total(layout.words(), 0);
  for (const masking::Words& part : asked.parts) masking::add_part(layout, part, total);
  masking::SumOfParts sum = masking::read_sum(layout, asked.grid, total);
  const std::size_t parties = asked.participants.size();
  if (sum.parties != parties) {
    // A client that does not mask as it should cannot be told from the others.
    if (++asked.failures < 3) return false;
    throw RunAborted(
        Termination::ClientsLost,
        fmt::format("round {}: the masks of the clients do not cancel; one of them, or its key, is not what "
                    "it should be",
                    asked.task.round.value + 1));
  }
  const bool precise = sum.fits && !masking::GridScale::too_coarse(asked.task, asked.grid, parties, sum.values);
  const bool private_answers = grid_of_noise(asked.task.work).has_value();  // made for their grid
  if (!precise && asked.grid.exponent && !private_answers) {
    asked.scale.forget(asked.task);
    return false;
  }
  if (!sum.fits) {
    if (asked.task.patient) {  // nobody is missing, and asking again does not help
      throw RunAborted(Termination::ClientsLost,
                       fmt::format("round {}: a client's numbers are too large to be added up (beyond 1e30), or none",
                                   asked.task.round.value + 1));
    }
    for (const ClientId client : asked.participants) {
      asked.absences.push_back({client, "the sum that it is part of: a number is too large, or none"});
    }
    return true;
  }
  asked.round.answered.assign(asked.participants.begin(), asked.participants.end());
  asked.round.replies.push_back(masking::reply_from(asked.task, std::move(sum)));
  return true;
}

void MaskedRounds::give_up(const Asked& asked) const {
  std::string names;
  for (const Absence& absence : asked.absences) {
    names += (names.empty() ? "" : ", ") + roster_[absence.client.value].name;
  }
  throw RunAborted(
      Termination::ClientsLost,
      fmt::format("round {}: {} stayed away ({}); a masked run cannot go on without it, as the difference of two sums "
                  "would show its part: start the server again when it is back",
                  asked.task.round.value + 1, names, asked.absences.front().reason));
}

}  // namespace fedrk::network
