// SPDX-License-Identifier: Apache-2.0
#include "bench/federation/swarm.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "network/server_link.hpp"
#include "network/wire.hpp"

namespace fedrk::bench {
namespace {

struct Member {
  std::string name;
  std::unique_ptr<network::ServerLink> link;
  std::mutex writing;  // answers and heartbeats come from two threads
  std::atomic<bool> joined = false;
  std::atomic<bool> spoke = false;  // since the last heartbeats: then it needs none, as with real clients
};

v1::ClientMessage hello(const std::string& name) {
  v1::ClientMessage message;
  message.mutable_hello()->set_protocol(wire::kProtocol);
  message.mutable_hello()->set_name(name);
  message.mutable_hello()->set_known_draws(true);
  return message;
}

// One row each, and no step to make.
v1::ClientMessage answer_to(const v1::ServerMessage& in, std::size_t unknowns) {
  v1::ClientMessage out;
  if (in.has_welcome()) {
    out.mutable_ready()->set_rows(1);
    out.mutable_ready()->set_columns(unknowns);
  } else if (in.has_sum_squares()) {
    auto& squares = *out.mutable_column_sums();
    squares.set_run(in.sum_squares().run());
    squares.set_rows(1);
    squares.set_squared(true);
    squares.mutable_sums()->set_length(unknowns);
    squares.mutable_sums()->mutable_values()->Resize(static_cast<int>(unknowns), 1.0);
  } else if (in.has_prepare()) {
    auto& prepared = *out.mutable_prepared();
    prepared.set_run(in.prepare().run());
    prepared.set_rows(1);
    prepared.set_unknowns(unknowns);
    prepared.set_squared_rhs_norm(1.0);
    prepared.set_squared_norm(1.0);
  } else if (in.has_task()) {
    auto& update = *out.mutable_update();
    update.set_run(in.task().run());
    update.set_number(in.task().number());
    const auto question = wire::question_of(in.task());
    if (!question) return out;
    update.set_round(question->task.round.value);
    const std::size_t length = reply_length(question->task.work, unknowns).value_or(0);
    update.mutable_values()->set_length(length);
    update.mutable_values()->mutable_values()->Resize(static_cast<int>(length), 0.0);
    if (question->task.report_residual) update.set_squared_residual(1.0);
  }
  return out;
}

bool send(Member& member, const v1::ClientMessage& message) {
  if (message.body_case() == v1::ClientMessage::BODY_NOT_SET) return true;
  const std::lock_guard lock(member.writing);
  return member.link->write(message);
}

// Until the server is gone, which ends the process.
void take_part(Member& member, std::size_t unknowns) {
  v1::ServerMessage in;
  member.joined = send(member, hello(member.name));
  while (member.joined && member.link->read(in)) {
    member.spoke = true;
    if (!send(member, answer_to(in, unknowns))) break;
    in.Clear();
  }
  ::_exit(0);
}

[[noreturn]] void serve(const test::Identities& identities, std::size_t first, std::size_t clients,
                        std::size_t unknowns, int orders) {
  int port = 0;
  if (::read(orders, &port, sizeof port) != sizeof port) ::_exit(0);
  std::vector<std::unique_ptr<Member>> members;
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < clients; ++k) {
    Member& member = *members.emplace_back(std::make_unique<Member>());
    member.name = Swarm::name(first + k);
    network::LinkOptions options;
    options.server = fmt::format("127.0.0.1:{}", port);
    options.tls = identities.client_files(member.name);
    options.connect_limit = network::Milliseconds(60'000);
    auto made = network::connect(options);
    if (!made) ::_exit(1);
    member.link = *std::move(made);
    threads.emplace_back([&member, unknowns] { take_part(member, unknowns); });
  }
  v1::ClientMessage beat;
  beat.mutable_heartbeat();
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    for (auto& each : members) {
      if (each->joined && !each->spoke.exchange(false)) send(*each, beat);
    }
  }
}

}  // namespace

std::string Swarm::name(std::size_t k) { return fmt::format("client-{}", k + 1); }

Swarm::Swarm(const test::Identities& identities, std::size_t clients, std::size_t unknowns) {
  constexpr std::size_t kProcesses = 20;
  for (std::size_t k = 0; k < kProcesses; ++k) {
    const std::size_t first = clients * k / kProcesses, end = clients * (k + 1) / kProcesses;
    if (first == end) continue;
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t process = ::fork();
    if (process < 0) throw std::runtime_error("no process for the clients");
    if (process == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[1]);
      serve(identities, first, end - first, unknowns, ends[0]);
    }
    ::close(ends[0]);
    processes_.push_back({process, ends[1]});
  }
}

Swarm::~Swarm() {
  for (const Process& process : processes_) {
    ::kill(process.id, SIGKILL);
    ::waitpid(process.id, nullptr, 0);
    ::close(process.orders);
  }
}

void Swarm::join(int port) {
  for (const Process& process : processes_) {
    if (::write(process.orders, &port, sizeof port) != sizeof port) throw std::runtime_error("the clients are gone");
  }
}

}  // namespace fedrk::bench
