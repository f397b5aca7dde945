// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/synchronized_protocol.hpp"

#include <utility>

namespace fedrk::network {

SynchronizedProtocol::SynchronizedProtocol(FederationOptions options, Outbox& outbox, operation::Log& log,
                                           RunClock& clock)
    : clock_(clock), protocol_(std::move(options), outbox, log, clock_.now()) {}

// The clock is read under the lock, so that the machine's time never goes back. Who waits is woken under it too: it may
// be about to destroy this.
template <class Step>
void SynchronizedProtocol::take_step(const Step& step) {
  const std::lock_guard lock(mutex_);
  const auto wake = [&] {
    if (protocol_.take_changed()) changed_.notify_all();
  };
  try {
    step(now());
  } catch (...) {
    wake();
    throw;
  }
  wake();
}

// ---- The transport's side.

void SynchronizedProtocol::on_open(ConnectionId connection, Peer peer) {
  take_step([&](auto now) { protocol_.on_open(connection, std::move(peer), now); });
}

void SynchronizedProtocol::on_chunk(ConnectionId connection, std::string_view chunk) {
  take_step([&](auto now) { protocol_.on_chunk(connection, chunk, now); });
}

void SynchronizedProtocol::on_closed(ConnectionId connection) {
  take_step([&](auto now) { protocol_.on_closed(connection, now); });
}

void SynchronizedProtocol::on_tick() {
  take_step([&](auto now) { protocol_.on_tick(now); });
}

// ---- The run's side.

void SynchronizedProtocol::wait_until_over(std::unique_lock<std::mutex>& lock) {
  while (const auto next = protocol_.next_deadline(now())) {
    protocol_.take_changed();  // all of it has been looked at
    clock_.wait(changed_, lock, *next);
  }
}

Result<std::vector<SynchronizedProtocol::Arrival>> SynchronizedProtocol::gather() {
  std::unique_lock lock(mutex_);
  protocol_.begin_gathering(now());
  wait_until_over(lock);
  return protocol_.take_arrivals(now());
}

std::vector<SynchronizedProtocol::Answer> SynchronizedProtocol::exchange(const Question& question,
                                                                         std::span<const ClientId> clients) {
  begin(question, clients);
  return wait();
}

void SynchronizedProtocol::begin(const Question& question, std::span<const ClientId> clients) {
  take_step([&](auto now) { protocol_.begin(question, clients, now); });
}

std::vector<SynchronizedProtocol::Answer> SynchronizedProtocol::wait() {
  std::unique_lock lock(mutex_);
  wait_until_over(lock);
  return protocol_.take_answers();
}

void SynchronizedProtocol::distribute_keys(wire::MaskingGroup masking_group) {
  take_step([&](auto) { protocol_.distribute_keys(std::move(masking_group)); });
}

void SynchronizedProtocol::fix_preparation(std::vector<wire::Prepare> messages, std::vector<wire::Prepared> expected) {
  take_step([&](auto) { protocol_.fix_preparation(std::move(messages), std::move(expected)); });
}

void SynchronizedProtocol::expect(const std::vector<Arrival>& arrivals) {
  take_step([&](auto) { protocol_.expect(arrivals); });
}

void SynchronizedProtocol::report_wrong(ClientId client, const std::string& reason) {
  take_step([&](auto now) { protocol_.report_wrong(client, reason, now); });
}

void SynchronizedProtocol::end(const wire::End& message) {
  take_step([&](auto now) { protocol_.end(message, now); });
}

void SynchronizedProtocol::interrupt(Termination why, std::string reason) {
  take_step([&](auto) { protocol_.interrupt(why, std::move(reason)); });
}

std::vector<ClientStatus> SynchronizedProtocol::status() const {
  const std::lock_guard lock(mutex_);
  return protocol_.status();
}

std::size_t SynchronizedProtocol::connections() const {
  const std::lock_guard lock(mutex_);
  return protocol_.connections();
}

void SynchronizedProtocol::wait_until_empty(Milliseconds max_length) {
  std::unique_lock lock(mutex_);
  const auto since = now() - max_length;
  changed_.wait_for(lock, max_length, [&] { return protocol_.is_empty(since); });
}

}  // namespace fedrk::network
