// SPDX-License-Identifier: Apache-2.0
#include "mpi/sum_relay.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/base/contracts.hpp"
#include "fedrk/linalg/kernels.hpp"
#include "mpi/arrived_task.hpp"

namespace fedrk::mpi {
namespace {

constexpr std::size_t kSegment = 8192;  // numbers; a shorter vector travels in one message with all the rest

/// What has been added up so far.
struct Running {
  Failure failure;
  std::optional<LocalReply> sum;
  std::vector<std::uint32_t> absent;  // whose parts were left out
};

bool travels_whole(std::size_t length) { return length <= kSegment; }

std::string head_of(const Running& running, std::size_t length) {
  ByteWriter out({}, 256 + sizeof(double) * (travels_whole(length) ? length : 0));
  out.put(running.failure);
  out.put(running.absent);
  if (travels_whole(length) || !running.sum) {
    out.put(running.sum);
  } else {
    out.put(std::optional(without_values(*running.sum)));
  }
  return std::move(out.bytes());
}

Running running_from(std::string_view bytes, std::size_t length) {
  ByteReader in(bytes);
  Running running;
  in.get(running.failure);
  in.get(running.absent);
  in.get(running.sum);
  if (running.sum && !travels_whole(length)) running.sum->values.resize(length);
  FEDRK_EXPECTS(in.complete());
  return running;
}

/// What this rank does: the messages from the one before it, and to the one behind it.
class Link {
 public:
  Link(const Ranks& ranks, std::size_t length) : ranks_(ranks), length_(length) {}

  /// The length of a first message is not known; but short it is, unless something went wrong.
  Running receive_head(std::size_t from) {
    std::string room(sizeof(double) * (travels_whole(length_) ? length_ : 0) + kUsual, '\0');
    room.resize(ranks_.receive_one(from, room.data(), room.size()));
    if (room.empty()) room = ranks_.receive(from);
    return running_from(room, length_);
  }

  void send_head(std::size_t to, const Running& running, Ranks::Sendings& sendings) {
    head_ = head_of(running, length_);
    if (head_.size() <= sizeof(double) * (travels_whole(length_) ? length_ : 0) + kUsual) {
      return sendings.send_one(to, head_.data(), head_.size());
    }
    sendings.send_one(to, head_.data(), 0);  // says: a long one follows
    size_ = head_.size();
    sendings.send_one(to, &size_, sizeof size_);
    sendings.send_one(to, head_.data(), head_.size());
  }

  /// Calls work(begin, end) for the segments of a vector that does not travel with the head.
  template <class Work>
  void for_segments(const Work& work) const {
    if (travels_whole(length_)) return;
    for (std::size_t begin = 0; begin < length_; begin += kSegment) work(begin, std::min(begin + kSegment, length_));
  }

  void receive_segment(std::size_t from, std::span<double> values, std::size_t begin, std::size_t end) const {
    ranks_.receive(from, values.data() + begin, (end - begin) * sizeof(double));
  }

 private:
  static constexpr std::size_t kUsual = 2048;  // bytes of a head without values

  const Ranks& ranks_;
  std::size_t length_;
  std::string head_;
  std::uint64_t size_ = 0;
};

// The first part of all is where a sum begins; values that have not arrived yet are added to later.
void add_parts(const LocalWork& work, std::vector<LocalReply>& parts, bool whole, Running& running) {
  std::size_t k = 0;
  if (!running.sum && !parts.empty()) running.sum = std::exchange(parts[k++], {});
  for (; k < parts.size(); ++k) {
    add_scalars(parts[k], *running.sum);
    if (whole) add_values(work, parts[k].values, running.sum->values);
  }
}

void merge(const LocalWork& work, const Failure& failure, RoundReplies& round, bool whole, Running& running) {
  if (failure && !running.failure) running.failure = failure;
  if (running.failure) return;
  for (const Absence& absence : round.absences) running.absent.push_back(absence.client.value);
  add_parts(work, round.replies, whole, running);
}

void hand_over(Running&& running, Failure& failure, RoundReplies& round) {
  failure = std::move(running.failure);
  round.replies.clear();
  round.absences.clear();
  if (running.sum) round.replies.push_back(*std::move(running.sum));
  for (const std::uint32_t client : running.absent) {
    round.absences.push_back({ClientId{client}, "its part could not be added"});
  }
}

}  // namespace

void relay_sum(const Ranks& ranks, const LocalWork& work, std::span<const std::size_t> involved, std::size_t length,
               Failure& failure, RoundReplies& round) {
  if (involved.empty()) return;
  const auto me = std::ranges::find(involved, ranks.rank());
  const std::size_t last = involved.back();
  Link link(ranks, length);
  Running running;
  Ranks::Sendings sendings;  // of what link and running hold: the first to go
  if (me != involved.end()) {
    const bool first = me == involved.begin();
    const std::size_t before = first ? 0 : *(me - 1), behind = ranks.rank() == last ? 0 : *(me + 1);
    if (!first) running = link.receive_head(before);
    const bool arrives = running.sum.has_value() && !running.failure;
    merge(work, failure, round, travels_whole(length), running);
    if (behind != ranks.rank()) link.send_head(behind, running, sendings);
    link.for_segments([&](std::size_t begin, std::size_t end) {
      if (running.failure || !running.sum) return;
      if (arrives) link.receive_segment(before, running.sum->values, begin, end);
      const auto sum = std::span(running.sum->values).subspan(begin, end - begin);
      for (const LocalReply& part : round.replies) {
        if (!part.values.empty()) add_values(work, std::span(part.values).subspan(begin, end - begin), sum);
      }
      if (behind != ranks.rank()) sendings.send_one(behind, sum.data(), sum.size_bytes());
    });
  }
  if (ranks.rank() != 0) return;
  if (last == 0) return hand_over(std::move(running), failure, round);
  Running all = link.receive_head(last);
  link.for_segments([&](std::size_t begin, std::size_t end) {
    if (all.sum && !all.failure) link.receive_segment(last, all.sum->values, begin, end);
  });
  hand_over(std::move(all), failure, round);
}

}  // namespace fedrk::mpi
