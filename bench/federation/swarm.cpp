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
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "transport/protocol/server_link.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::bench {
namespace {

struct Member {
  std::string name;
  std::unique_ptr<network::ServerLink> link;
  std::mutex writing;  // answers and heartbeats come from two threads
  std::atomic<bool> joined = false;
  std::atomic<bool> spoke = false;  // since the last heartbeats: then it needs none, as with real clients
};

// One row each, and no step to make; nothing where no answer is due.
std::optional<wire::ClientMessage> answer_to(const wire::ServerMessage& in, std::size_t unknowns) {
  if (wire::holds<wire::Welcome>(in)) return wire::Ready{.rows = 1, .columns = unknowns};
  if (const auto* sums = std::get_if<wire::SumColumns>(&in)) {
    return wire::ColumnSums{sums->run, 1, sums->question.of, std::vector<double>(unknowns, 1.0), {}};
  }
  if (const auto* prepare = std::get_if<wire::Prepare>(&in)) return wire::Prepared{prepare->run, 1, unknowns, 1.0, 1.0};
  const auto* task = std::get_if<wire::Task>(&in);
  const auto question = task != nullptr ? wire::question_of(*task) : std::nullopt;
  if (!question) return std::nullopt;
  wire::Update update{.run = task->run, .number = task->number, .round = question->task.round.value};
  update.values.assign(reply_length(question->task.work, unknowns).value_or(0), 0.0);
  if (question->task.report_residual) update.squared_residual = 1.0;
  return update;
}

bool send(Member& member, const wire::ClientMessage& message) {
  const std::string bytes = bytes_of(message);
  const std::lock_guard lock(member.writing);
  for (std::size_t from = 0; from < bytes.size(); from += wire::kChunk) {
    if (!member.link->write(wire::chunk_at(bytes, from))) return false;
  }
  return true;
}

// Until the server is gone, which ends the process.
void take_part(Member& member, std::size_t unknowns) {
  wire::Reassembler<wire::ServerMessage> incoming(4 << 20, 1 << 27);
  member.joined = send(member, wire::Hello{.name = member.name, .known_draws = true});
  while (const auto chunk = member.joined ? member.link->read() : std::nullopt) {
    const auto in = incoming.add(*chunk);
    member.spoke = true;
    if (!in) break;
    const auto answer = *in ? answer_to(**in, unknowns) : std::nullopt;
    if (answer && !send(member, *answer)) break;
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
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    for (auto& each : members) {
      if (each->joined && !each->spoke.exchange(false)) send(*each, wire::Heartbeat{});
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
