// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/network_engine.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "round/accept_replies.hpp"
#include "round/run_aborted.hpp"
#include "round/state_stream.hpp"
#include "transport/protocol/outgoing_tasks.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

// A part of a sum over all clients, group by group (round/sweep.hpp).
bool is_swept(const LocalTask& task) {
  const Use use = use_of(task.work);
  return task.reveal == Reveal::Sums && (use == Use::Fits || use == Use::Refits);
}

// Answers that a round needs of so many.
std::size_t quorum_of(const FederationOptions& options, std::size_t asked) {
  return options.quorum == 0 ? (asked + 1) / 2 : std::min(asked, options.quorum);
}

}  // namespace

using Answer = ServerProtocol::Answer;

NetworkEngine::NetworkEngine(SynchronizedProtocol& protocol, FederationOptions options,
                             std::vector<ClientSummary> roster, std::size_t dimension, std::uint64_t first_task,
                             Allowance allowance)
    : protocol_(protocol),
      options_(std::move(options)),
      roster_(std::move(roster)),
      dimension_(dimension),
      next_task_(first_task),
      masked_(protocol, options_, roster_, dimension, allowance) {}

// A reply that can be used, or an absence; one that makes no sense is held against its client.
void NetworkEngine::take(const LocalTask& task, Answer& answer, RoundReplies& round) {
  if (!answer.message) return round.absences.push_back({answer.client, std::move(answer.absence)});
  auto& update = std::get<wire::Update>(*answer.message);
  const bool same_round = update.round == task.round.value, part = update.part;
  LocalReply reply = wire::reply_from(std::move(update), answer.client, task);
  const std::size_t unknowns = task.columns.empty() ? dimension_ : task.columns.size();
  std::string wrong = fault_of(task, unknowns, reply);
  if (!same_round) wrong = "its update is of another round";
  if (part != (task.reveal == Reveal::Sums)) wrong = "its update does not reveal what was asked for";
  if (wrong.empty()) return round.replies.push_back(std::move(reply));
  protocol_.report_wrong(answer.client, wrong);
  round.absences.push_back({answer.client, std::move(wrong)});
}

void NetworkEngine::check_quorum(const LocalTask& task, std::size_t asked, const RoundReplies& round) const {
  const std::size_t quorum = quorum_of(options_, asked);
  if (round.replies.size() >= quorum) return;
  const Absence& first = round.absences.front();
  throw RunAborted(Termination::ClientsLost,
                   fmt::format("round {}: {} of {} clients answered, {} are needed; {}: {}", task.round.value + 1,
                               round.replies.size(), asked, quorum, roster_[first.client.value].name, first.reason));
}

// Answers for which those who may come back are waited for.
std::size_t NetworkEngine::answers_wanted(const LocalTask& task, std::size_t asked) const {
  if (task.patient) return asked;
  return is_swept(task) ? 0 : quorum_of(options_, asked);
}

RoundReplies NetworkEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  return options_.masked ? masked_.sum(task, participants) : single_updates(next_task_++, task, participants);
}

void NetworkEngine::repeated(const LocalTask& task, const RoundReplies& round) {
  if (options_.masked) masked_.learn(task, round);
}

void NetworkEngine::state(StateStream& stream) { stream(masked_); }

RoundReplies NetworkEngine::single_updates(std::uint64_t number, const LocalTask& task,
                                           std::span<const ClientId> participants) {
  const std::size_t unknowns = task.columns.empty() ? dimension_ : task.columns.size();
  const OutgoingTasks outgoing(wire::task_message(options_.run, number, task, participants), task.own);
  ServerProtocol::Question question{.kind = wire::kAnswerKind<wire::Update>,
                                    .number = number,
                                    .outgoing = [&](ClientId client) { return outgoing(client); },
                                    .max_length = std::max(dimension_, reply_length(task.work, unknowns).value_or(0))};
  RoundReplies round;
  std::vector<ClientId> missing(participants.begin(), participants.end());
  const auto patience = protocol_.now() + options_.join_limit;
  const std::size_t wanted = answers_wanted(task, participants.size());
  while (!missing.empty()) {
    std::vector<Absence> late;
    for (Answer& answer : protocol_.exchange(question, missing)) {
      if (answer.may_return) {
        late.push_back({answer.client, std::move(answer.absence)});
      } else {
        take(task, answer, round);
      }
    }
    missing.clear();
    // Too few: those who may come back are asked again, and waited for as long as for joining.
    if (round.replies.size() < wanted && protocol_.now() < patience) {
      question.away_limit = options_.join_limit;
      for (const Absence& absence : late) missing.push_back(absence.client);
    } else {
      std::ranges::move(late, std::back_inserter(round.absences));
    }
  }
  // A sweep asks again who is missing, and goes on without who is lost; without anybody it cannot.
  const bool nobody = task.patient && round.replies.empty() && participants.size() == roster_.size();
  if (!is_swept(task) || nobody) check_quorum(task, participants.size(), round);
  std::ranges::sort(round.absences, {}, &Absence::client);
  if (task.reveal == Reveal::Sums) {
    keep_only_the_sum(task, dimension_, participants, round);
  } else {
    accept_replies(task, unknowns, participants, round);
  }
  return round;
}

}  // namespace fedrk::network
