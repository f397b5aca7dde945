// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/masked_rounds.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fedrk/error.hpp"
#include "round/accept_replies.hpp"
#include "round/run_aborted.hpp"
#include "secure_sum/reply_part.hpp"
#include "transport/protocol/outgoing_tasks.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

constexpr std::uint64_t kFirstSkip = 1 << 16;  // more than are asked between two snapshots
constexpr std::uint32_t kMaxAttempts = 1'000;  // that an earlier server may have made; clients may claim what they like

bool needs_everyone(const LocalTask& task) { return !masking::may_be_of_some(task.work); }

// A sum over fewer than its noise was shared among has too little of it.
std::size_t private_minimum(const FederationOptions& options, const LocalTask& task, std::size_t asked) {
  if (!std::holds_alternative<ClippedPass>(task.work)) return 0;
  return options.plan.method.privacy.min_answers == 0 ? asked : options.plan.method.privacy.min_answers;
}

}  // namespace

std::size_t quorum_of(const FederationOptions& options, std::size_t asked) {
  return options.quorum == 0 ? (asked + 1) / 2 : std::min(asked, options.quorum);
}

/// One question to some clients, and what has become of it so far.
struct MaskedRounds::Attempt {
  std::uint64_t number;  // as the journal counts
  const LocalTask& task;
  std::span<const ClientId> wanted;  // by the round
  std::size_t values;                // in an answer
  std::size_t min_answers;           // participants of a sum
  Clock::time_point patience;

  std::uint32_t attempt = 0;
  std::vector<ClientId> masking_group{};  // who is asked
  masking::Grid grid{};
  Milliseconds away_limit{0};
  std::vector<ServerProtocol::Answer> answers{};
  std::vector<Absence> absences{};  // of those who are no longer asked
  std::set<ClientId> excused{};     // who has said that it answered before
  unsigned failures = 0;            // complete sums that could not be read
  RoundReplies round{};

  masking::PartLayout layout() const { return masking::layout_of(task, values, grid); }
};

RoundReplies MaskedRounds::sum(std::uint64_t number, const LocalTask& task, std::span<const ClientId> participants) {
  if (task.reveal != Reveal::Sums) throw InvalidArgument("this method needs single updates: --reveal updates");
  const std::size_t unknowns = task.columns.empty() ? dimension_ : task.columns.size();
  const std::size_t quorum = needs_everyone(task) ? participants.size() : quorum_of(options_, participants.size());
  Attempt attempt{number,
                  task,
                  participants,
                  reply_length(task.work, unknowns).value_or(0),
                  std::max({quorum, options_.min_sum, private_minimum(options_, task, participants.size())}),
                  Clock::now() + options_.join_limit};
  attempt.masking_group.assign(participants.begin(), participants.end());
  do {
    ask(attempt);
  } while (!resolve(attempt));
  RoundReplies& round = attempt.round;
  round.absences.insert(round.absences.end(), attempt.absences.begin(), attempt.absences.end());
  std::ranges::sort(round.absences, {}, &Absence::client);
  accept_replies(task, unknowns, participants, round);
  learn(task, round);
  return std::move(round);
}

void MaskedRounds::learn(const LocalTask& task, const RoundReplies& round) {
  if (!round.replies.empty() && !round.replies.front().values.empty()) {
    scale_for(task, round.answered).learn(task, round.replies.front().values);
  }
}

masking::GridScale& MaskedRounds::scale_for(const LocalTask& task, std::span<const ClientId> members) {
  const bool kept = needs_everyone(task) && !members.empty();
  return scales_[kept ? std::optional(members.front()) : std::nullopt];
}

void MaskedRounds::ask(Attempt& attempt) {
  attempt.grid = scale_for(attempt.task, attempt.masking_group).next(attempt.task, attempt.masking_group.size());
  const std::uint64_t number = attempt.number + skipped_;
  wire::TaskView message = wire::task_message(options_.run, number, attempt.task, attempt.masking_group);
  message.attempt = attempt.attempt;
  message.exponent = attempt.grid.exponent;
  const OutgoingTasks outgoing(std::move(message), {});
  const ServerProtocol::Question question{.kind = wire::kAnswerKind<wire::Update>,
                                          .number = number,
                                          .attempt = attempt.attempt,
                                          .outgoing = [&](ClientId client) { return outgoing(client); },
                                          .max_length = std::max(dimension_, attempt.layout().words()),
                                          .away_limit = attempt.away_limit};
  attempt.answers = protocol_.exchange(question, attempt.masking_group);
}

// True when the round is over.
bool MaskedRounds::resolve(Attempt& attempt) {
  std::uint32_t next = attempt.attempt + 1;
  bool complete = true, answered_before = false, refused = false;
  for (ServerProtocol::Answer& answer : attempt.answers) {
    // To a server that was here before this one. Once: who says so again is refusing, and would cost the others.
    const bool plausible = answer.answered && *answer.answered < attempt.attempt + kMaxAttempts;
    if (plausible && attempt.excused.insert(answer.client).second) {
      next = std::max(next, *answer.answered + 1);
      answered_before = true;
    }
    if (answer.message) {
      const auto& update = std::get<wire::Update>(*answer.message);
      const bool fits = update.masked && update.round == attempt.task.round.value &&
                        update.masked->size() == attempt.layout().words();
      if (!fits) {
        answer.absence = "its answer is not the part that was asked for";
        answer.message.reset();
        protocol_.report_wrong(answer.client, answer.absence);
      }
    }
    complete = complete && answer.message;
    refused = refused || (answer.refused && !answer.answered);
  }
  if (refused && skip_numbers(attempt)) return false;
  if (complete && read(attempt)) return true;
  attempt.attempt = next;
  return complete || answered_before ? false : go_on_without(attempt);
}

// A client refuses a number below one that it has answered, to a server whose journal then lost its last pages. What it
// answered is lost, and further on nothing was asked yet: there the question is a new one to all of them. Each skip
// goes further than the one before, as an earlier server may have skipped too.
bool MaskedRounds::skip_numbers(Attempt& attempt) {
  if (skips_left_ == 0) return false;
  --skips_left_;
  skipped_ = skipped_ == 0 ? kFirstSkip : 4 * skipped_;
  attempt.attempt = 0;
  return true;
}

// The sum, unless the grid was wrong for somebody's numbers or for all of them together: then they are asked for
// without one.
bool MaskedRounds::read(Attempt& attempt) {
  const masking::PartLayout layout = attempt.layout();
  masking::Words total(layout.words(), 0);
  for (const ServerProtocol::Answer& answer : attempt.answers) {
    masking::add_part(layout, *std::get<wire::Update>(*answer.message).masked, total);
  }
  masking::SumOfParts sum = masking::read_sum(layout, attempt.grid, total);
  if (sum.parties != attempt.masking_group.size()) {
    // A client that does not mask as it should cannot be told from the others.
    if (++attempt.failures < 3) return false;
    throw RunAborted(
        Termination::ClientsLost,
        fmt::format("round {}: the masks of the clients do not cancel; one of them, or its key, is not what "
                    "it should be",
                    attempt.task.round.value + 1));
  }
  const bool precise =
      sum.fits && !masking::GridScale::too_coarse(attempt.task, attempt.grid, attempt.masking_group.size(), sum.values);
  const bool private_answers = std::holds_alternative<ClippedPass>(attempt.task.work);  // made for their grid, and paid
  if (!precise && attempt.grid.exponent && !private_answers) {
    scale_for(attempt.task, attempt.masking_group).forget(attempt.task);
    return false;
  }
  if (!sum.fits) {
    if (attempt.task.patient) {  // nobody is missing, and asking again does not help
      throw RunAborted(Termination::ClientsLost,
                       fmt::format("round {}: a client's numbers are too large to be added up (beyond 1e30), or none",
                                   attempt.task.round.value + 1));
    }
    for (const ClientId client : attempt.masking_group) {
      attempt.absences.push_back({client, "the sum that it is part of: a number is too large, or none"});
    }
    return true;
  }
  attempt.round.answered = attempt.masking_group;
  attempt.round.replies.push_back(masking::reply_from(attempt.task, std::move(sum)));
  return true;
}

// With those who answered, if they are enough; else with those who may come back too. True: there is no sum.
bool MaskedRounds::go_on_without(Attempt& attempt) {
  std::vector<ClientId> here, may_return;
  std::vector<Absence> gone, late;
  for (ServerProtocol::Answer& answer : attempt.answers) {
    if (answer.message) {
      here.push_back(answer.client);
    } else if (answer.may_return) {
      may_return.push_back(answer.client);
      late.push_back({answer.client, std::move(answer.absence)});
    } else {
      gone.push_back({answer.client, std::move(answer.absence)});
    }
  }
  attempt.absences.insert(attempt.absences.end(), gone.begin(), gone.end());
  attempt.masking_group = here;
  if (needs_everyone(attempt.task)) {
    attempt.absences.insert(attempt.absences.end(), late.begin(), late.end());
    return wait_or_end(attempt, gone.empty());
  }
  const bool wait = here.size() < attempt.min_answers && Clock::now() < attempt.patience &&
                    here.size() + may_return.size() >= attempt.min_answers;
  if (wait) {
    attempt.masking_group.insert(attempt.masking_group.end(), may_return.begin(), may_return.end());
    std::ranges::sort(attempt.masking_group);
    attempt.away_limit = options_.join_limit;
    return false;
  }
  attempt.absences.insert(attempt.absences.end(), late.begin(), late.end());
  if (here.size() < attempt.min_answers) give_up(attempt);
  return false;
}

// For work of a whole group: what those who are here sent is of no use without the others.
bool MaskedRounds::wait_or_end(Attempt& attempt, bool all_may_return) const {
  if (!attempt.task.patient) return true;
  if (all_may_return && Clock::now() < attempt.patience) {
    attempt.absences.clear();
    attempt.masking_group.assign(attempt.wanted.begin(), attempt.wanted.end());
    attempt.away_limit = options_.join_limit;
    return false;
  }
  std::string names;
  for (const Absence& absence : attempt.absences) {
    names += (names.empty() ? "" : ", ") + roster_[absence.client.value].name;
  }
  throw RunAborted(
      Termination::ClientsLost,
      fmt::format("round {}: {} stayed away ({}); a masked fit cannot go on without it, as the difference of "
                  "two sums would show its part: start the server again when it is back, or a new run "
                  "without it",
                  attempt.task.round.value + 1, names, attempt.absences.front().reason));
}

void MaskedRounds::give_up(const Attempt& attempt) const {
  std::string first;
  if (!attempt.absences.empty()) {
    const Absence& absence = attempt.absences.front();
    first = fmt::format("; {}: {}", roster_[absence.client.value].name, absence.reason);
  }
  throw RunAborted(
      Termination::ClientsLost,
      fmt::format("round {}: {} of {} clients answered, {} are needed for a sum{}", attempt.task.round.value + 1,
                  attempt.masking_group.size(), attempt.wanted.size(), attempt.min_answers, first));
}

}  // namespace fedrk::network
