// SPDX-License-Identifier: Apache-2.0
#include "bench/federation/swarm.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include "fedrk/v1/federation.grpc.pb.h"
#include "network/wire.hpp"

namespace fedrk::bench {
namespace {

enum class Event { Started, Read, Written, Beat };

struct Member;
struct Tag {
  Member* member;
  Event event;
};

struct Member {
  std::string name;
  grpc::ClientContext context;
  std::unique_ptr<v1::Federation::Stub> stub;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream;
  v1::ServerMessage incoming;
  std::deque<v1::ClientMessage> outgoing;
  bool writing = false, joined = false;
  bool spoke = false;  // since the last heartbeats: then it needs none, as with real clients
  Tag started{this, Event::Started}, read{this, Event::Read}, written{this, Event::Written};
};

void write_next(Member& member) {
  if (member.writing || member.outgoing.empty()) return;
  member.writing = true;
  member.stream->Write(member.outgoing.front(), &member.written);
  member.outgoing.pop_front();
}

v1::ClientMessage hello(const std::string& name) {
  v1::ClientMessage message;
  message.mutable_hello()->set_protocol(3);
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

void send(Member& member, v1::ClientMessage message) {
  if (message.body_case() == v1::ClientMessage::BODY_NOT_SET) return;
  member.outgoing.push_back(std::move(message));
  write_next(member);
}

[[noreturn]] void serve(const test::Identities& identities, std::size_t first, std::size_t clients,
                        std::size_t unknowns, int orders) {
  int port = 0;
  if (::read(orders, &port, sizeof port) != sizeof port) ::_exit(0);
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Member>> members;
  for (std::size_t k = 0; k < clients; ++k) {
    auto member = std::make_unique<Member>();
    member->name = Swarm::name(first + k);
    const auto own = identities.client(member->name);
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);  // as fedrk's own clients
    const auto channel =
        grpc::CreateCustomChannel(fmt::format("127.0.0.1:{}", port),
                                  grpc::SslCredentials({identities.ca(), own.key, own.certificate}), arguments);
    member->stub = v1::Federation::NewStub(channel);
    member->context.set_wait_for_ready(true);
    member->stream = member->stub->AsyncJoin(&member->context, &queue, &member->started);
    members.push_back(std::move(member));
  }
  const auto beat_every = std::chrono::milliseconds(2000);
  grpc::Alarm alarm;
  Tag beat{nullptr, Event::Beat};
  alarm.Set(&queue, std::chrono::system_clock::now() + beat_every, &beat);
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) {
    auto& [member, event] = *static_cast<Tag*>(tag);
    if (event == Event::Beat) {
      v1::ClientMessage message;
      message.mutable_heartbeat();
      for (auto& each : members) {
        if (each->joined && !std::exchange(each->spoke, false)) send(*each, message);
      }
      alarm.Set(&queue, std::chrono::system_clock::now() + beat_every, &beat);
      continue;
    }
    if (!ok) ::_exit(0);  // the server is gone
    if (event == Event::Written) member->writing = false;
    if (event == Event::Started) {
      member->joined = true;
      send(*member, hello(member->name));
    }
    if (event == Event::Read) {
      member->spoke = true;
      send(*member, answer_to(member->incoming, unknowns));
    }
    if (event != Event::Written) member->stream->Read(&member->incoming, &member->read);
    write_next(*member);
  }
  ::_exit(0);
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
