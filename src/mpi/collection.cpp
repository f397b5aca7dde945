// SPDX-License-Identifier: Apache-2.0
#include "mpi/collection.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/base/contracts.hpp"
#include "fedrk/linalg/kernels.hpp"
#include "mpi/arrived_task.hpp"

namespace fedrk::mpi {
namespace {

constexpr std::size_t kSegment = std::size_t{1} << 18;  // numbers: added while they are still in the cache

bool travels_alone(std::size_t length) { return length > kLongVector; }

// Calls work(begin, count) for the pieces of a vector.
template <class Work>
void in_segments(std::size_t length, const Work& work) {
  for (std::size_t begin = 0; begin < length; begin += kSegment) work(begin, std::min(kSegment, length - begin));
}

/// What a rank says first. Long vectors, one for each reply, follow.
struct Head {
  Failure failure;
  std::vector<std::uint32_t> absent;
  std::vector<LocalReply> replies;    // a long one's values are missing
  std::vector<std::uint64_t> length;  // of each
};

Head receive_head(const Ranks& ranks, std::size_t sender) {
  const std::string bytes = ranks.receive(sender);
  ByteReader in(bytes);
  Head head{in.get<Failure>(), {}, {}, {}};
  if (head.failure) return head;
  in.get(head.absent);
  for (std::size_t left = in.length(1); left > 0; --left) {
    in.get(head.length.emplace_back());
    in.get(head.replies.emplace_back());
  }
  FEDRK_EXPECTS(in.complete());
  return head;
}

void receive_values(const Ranks& ranks, std::size_t sender, std::size_t length, AlignedVector& values) {
  values.resize(length);
  in_segments(length, [&](std::size_t begin, std::size_t count) {
    ranks.receive(sender, values.data() + begin, count * sizeof(double));
  });
}

void add_arriving(const Ranks& ranks, const LocalWork& work, std::size_t sender, AlignedVector& room,
                  std::span<double> sum) {
  room.resize(std::min(kSegment, sum.size()));
  in_segments(sum.size(), [&](std::size_t begin, std::size_t count) {
    ranks.receive(sender, room.data(), count * sizeof(double));
    add_values(work, std::span(room).first(count), sum.subspan(begin, count));
  });
}

void take_note(Head& head, Failure& failure, RoundReplies& round) {
  if (head.failure && !failure) failure = std::move(head.failure);
  for (const std::uint32_t client : head.absent) {
    round.absences.push_back({ClientId{client}, "its part could not be added"});
  }
}

}  // namespace

void send_answers(const Ranks& ranks, const Failure& failure, const RoundReplies& round) {
  std::size_t expected = 64;
  for (const LocalReply& reply : round.replies) {
    expected += 64 + (travels_alone(reply.values.size()) ? 0 : sizeof(double) * message_length(reply));
  }
  ByteWriter out({}, expected);
  out.put(failure);
  if (failure) return ranks.send(0, out.bytes());
  std::vector<std::uint32_t> absent;
  for (const Absence& absence : round.absences) absent.push_back(absence.client.value);
  out.put(absent);
  out.put(std::uint64_t{round.replies.size()});
  for (const LocalReply& reply : round.replies) {
    out.put(std::uint64_t{reply.values.size()});
    travels_alone(reply.values.size()) ? out.put(without_values(reply)) : out.put(reply);
  }
  ranks.send(0, out.bytes());
  Ranks::Sendings sendings;
  for (const LocalReply& reply : round.replies) {
    if (!travels_alone(reply.values.size())) continue;
    in_segments(reply.values.size(), [&](std::size_t begin, std::size_t count) {
      sendings.send_one(0, reply.values.data() + begin, count * sizeof(double));
    });
  }
}

void receive_answers(const Ranks& ranks, std::span<const std::size_t> senders, Failure& failure, RoundReplies& round) {
  for (const std::size_t sender : senders) {
    if (sender == 0) continue;
    Head head = receive_head(ranks, sender);
    take_note(head, failure, round);
    for (std::size_t k = 0; k < head.replies.size(); ++k) {
      LocalReply& reply = round.replies.emplace_back(std::move(head.replies[k]));
      if (travels_alone(head.length[k])) receive_values(ranks, sender, head.length[k], reply.values);
    }
  }
}

void collect_sum(const Ranks& ranks, const LocalWork& work, std::span<const std::size_t> senders, Failure& failure,
                 RoundReplies& round) {
  if (!round.replies.empty()) {
    LocalReply own = sum_of(work, std::move(round.replies));
    round.replies.assign(1, std::move(own));
  }
  AlignedVector room;
  for (const std::size_t sender : senders) {
    if (sender == 0) continue;
    Head head = receive_head(ranks, sender);
    take_note(head, failure, round);
    for (std::size_t k = 0; k < head.replies.size(); ++k) {
      LocalReply& part = head.replies[k];
      const bool arrives = travels_alone(head.length[k]);
      if (round.replies.empty()) {  // where the sum begins
        if (arrives) receive_values(ranks, sender, head.length[k], part.values);
        round.replies.push_back(std::move(part));
        continue;
      }
      LocalReply& sum = round.replies.front();
      FEDRK_EXPECTS(sum.values.size() == head.length[k]);
      add_scalars(part, sum);
      if (arrives) {
        add_arriving(ranks, work, sender, room, sum.values);
      } else {
        add_values(work, part.values, sum.values);
      }
    }
  }
}

}  // namespace fedrk::mpi
