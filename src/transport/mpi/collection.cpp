// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/collection.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/contracts.hpp"
#include "transport/mpi/arrived_task.hpp"

namespace fedrk::mpi {
namespace {

constexpr std::size_t kSegment = 8192;  // numbers of a sum

bool travels_alone(const AlignedVector& values) { return values.size() > kLongVector; }

// All but long vectors, which have to follow.
void send_head(const Ranks& ranks, std::size_t to, const Answers& answers) {
  std::size_t expected = 64;
  for (const LocalReply& reply : answers.round.replies) {
    expected += 64 + (travels_alone(reply.values) ? 0 : sizeof(double) * message_length(reply));
  }
  ByteWriter out({}, expected);
  out.put(answers.failure);
  out.put(answers.round.absences);
  out.put(std::uint64_t{answers.round.replies.size()});
  for (const LocalReply& reply : answers.round.replies) {
    out.put(std::uint64_t{reply.values.size()});
    travels_alone(reply.values) ? out.put(LocalReply{reply.client, {}, reply.squared_residual, reply.gap})
                                : out.put(reply);
  }
  ranks.send(to, out.bytes());
}

// Long vectors have their length, and no numbers yet.
Answers receive_head(const Ranks& ranks, std::size_t from) {
  const std::string bytes = ranks.receive(from);
  ByteReader in(bytes);
  Answers answers{in.get<Failure>(), {}};
  in.get(answers.round.absences);
  for (std::size_t left = in.length(1); left > 0; --left) {
    const auto length = in.get<std::uint64_t>();
    LocalReply& reply = answers.round.replies.emplace_back();
    in.get(reply);
    reply.values.resize(length);
  }
  FEDRK_EXPECTS(in.complete());
  return answers;
}

void receive(const Ranks& ranks, std::size_t from, std::span<double> values) {
  ranks.receive(from, values.data(), values.size_bytes());
}

// Calls work(begin, values) for the segments of a sum that does not travel with the head.
template <class Work>
void for_segments(Answers& sum, const Work& work) {
  if (sum.round.replies.empty() || !travels_alone(sum.round.replies.front().values)) return;
  const std::span<double> values = sum.round.replies.front().values;
  for (std::size_t begin = 0; begin < values.size(); begin += kSegment) {
    work(begin, values.subspan(begin, std::min(kSegment, values.size() - begin)));
  }
}

void receive_segments(const Ranks& ranks, std::size_t from, Answers& sum) {
  for_segments(sum, [&](std::size_t, std::span<double> segment) { receive(ranks, from, segment); });
}

// The first of the parts, with all that travels with the head added to it.
LocalReply begin_sum(const LocalWork& work, std::vector<LocalReply>& parts) {
  LocalReply sum = std::move(parts.front());
  for (const LocalReply& part : std::span(parts).subspan(1)) {
    add_scalars(part, sum);
    if (!travels_alone(sum.values)) add_values(work, part.values, sum.values);
  }
  return sum;
}

// Behind those that were there before.
void append(Answers&& more, Answers& answers) {
  if (!answers.failure) answers.failure = std::move(more.failure);
  std::ranges::move(more.round.absences, std::back_inserter(answers.round.absences));
  std::ranges::move(more.round.replies, std::back_inserter(answers.round.replies));
  if (answers.failure) answers.round.replies.clear();
}

}  // namespace

void collect_updates(const Ranks& ranks, std::span<const std::size_t> involved, Answers& answers) {
  if (ranks.rank() != 0) {
    if (std::ranges::find(involved, ranks.rank()) == involved.end()) return;
    send_head(ranks, 0, answers);
    for (const LocalReply& reply : answers.round.replies) {
      if (travels_alone(reply.values)) ranks.send(0, reply.values.data(), reply.values.size() * sizeof(double));
    }
    return;
  }
  for (const std::size_t sender : involved) {
    if (sender == 0) continue;
    Answers arrived = receive_head(ranks, sender);
    for (LocalReply& reply : arrived.round.replies) {
      if (travels_alone(reply.values)) receive(ranks, sender, reply.values);
    }
    append(std::move(arrived), answers);
  }
}

void collect_sum(const Ranks& ranks, const LocalWork& work, std::span<const std::size_t> involved, Answers& answers) {
  const auto me = std::ranges::find(involved, ranks.rank());
  const std::size_t last = involved.empty() ? 0 : involved.back();
  Answers sum;               // of the ranks before and this one
  Ranks::Sendings sendings;  // of what `sum` holds: the first to go
  if (me != involved.end()) {
    const bool first = me == involved.begin();
    const std::size_t before = first ? 0 : *(me - 1), behind = ranks.rank() == last ? 0 : *(me + 1);
    const bool sends = behind != ranks.rank();
    if (!first) sum = receive_head(ranks, before);
    const bool arrives = !sum.round.replies.empty();
    if (arrives && answers.failure) receive_segments(ranks, before, sum);  // they are on their way
    append(std::move(answers), sum);
    std::vector<LocalReply> parts = std::exchange(sum.round.replies, {});
    if (!parts.empty()) sum.round.replies.push_back(begin_sum(work, parts));
    if (sends) send_head(ranks, behind, sum);
    for_segments(sum, [&](std::size_t begin, std::span<double> segment) {
      if (arrives) receive(ranks, before, segment);
      for (const LocalReply& part : std::span(parts).subspan(1)) {
        add_values(work, std::span(part.values).subspan(begin, segment.size()), segment);
      }
      if (sends) sendings.send_one(behind, segment.data(), segment.size_bytes());
    });
  }
  if (ranks.rank() != 0) return;
  if (last == 0) return void(answers = std::move(sum));
  answers = receive_head(ranks, last);
  receive_segments(ranks, last, answers);
}

}  // namespace fedrk::mpi
