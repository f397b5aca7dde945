// SPDX-License-Identifier: Apache-2.0
//
// Whole runs of a federation over links that drop, repeat, reorder, delay and damage what is said, with clients and
// servers that are started again: a run ends, with the right sums and the right answer or with an error, and no client
// ever says two things under one mask. Both ends are the real ones; only links and clock are made up.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/run_plan.hpp"
#include "fedrk/error.hpp"
#include "fuzz/fuzz_messages.hpp"
#include "fuzz/mask_watch.hpp"
#include "linalg/kernels.hpp"
#include "plan/table_site.hpp"
#include "round/run_aborted.hpp"
#include "support/bare_owner.hpp"
#include "support/local_federation.hpp"
#include "transport/protocol/agreement.hpp"
#include "transport/protocol/client_protocol.hpp"
#include "transport/protocol/network_engine.hpp"
#include "transport/protocol/synchronized_protocol.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::fuzz {
namespace {

using namespace network;

// ---- What the runs are about: y = c + 2 u - v at every client, where a fit has c = 1 and equations have none; or
// fewer rows than columns, with many solutions.

struct Kind {
  std::vector<wire::PlanEntry> plan;
  bool masked = true;
  std::size_t clients = 3;
  double constant = 0.0;
  std::size_t rows = 8, columns = 2;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {{{"goal", {"fit"}}, {"method", {"gram"}}}, true, 3, 1.0},
      {{{"goal", {"fit"}}, {"method", {"cg"}}}, true, 3, 1.0},
      {{{"goal", {"fit"}}, {"method", {"gram"}}, {"participants", {"3"}}}, true, 6, 1.0},
      {{{"rounds", {"8"}}}, true, 3},
      {{{"sparse", {"soft:0.01"}}, {"rounds", {"4"}}}, true, 3},
      {{{"least-squares", {"true"}}}, true, 3, 0.0, 2, 7},
      {{{"goal", {"fit"}}, {"method", {"cg"}}, {"reveal", {"updates"}}}, false, 3, 1.0},
      {{{"method", {"fedrk"}}, {"rounds", {"5"}}}, false, 3},
  };
  return all;
}

LinearSystem table_of(std::size_t client, const Kind& kind) {
  Matrix rows(kind.rows, kind.columns);
  std::vector<double> rhs;
  for (std::size_t i = 0; i < kind.rows; ++i) {
    const auto row = rows.row(i);
    for (std::size_t j = 0; j < kind.columns; ++j) {
      row[j] = static_cast<double>(((7 - 2 * j % 5) * i + (3 + j) * client + j * j) % 11) - 5.0 + 0.5 * (j % 2 == 1);
    }
    rhs.push_back(kind.constant + 2.0 * row[0] - row[1]);
  }
  return {std::move(rows), std::move(rhs)};
}

std::vector<std::string> names_of_columns(const Kind& kind) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < kind.columns; ++j) names.push_back("u" + std::to_string(j));
  return names;
}

std::string name_of_client(std::size_t i) { return "site-" + std::to_string(i + 1); }

// ---- What the owners said to each task, in the clear.

std::string key_of(const LocalTask& task) { return bytes_of(task, task.x, task.columns); }

class Book {
 public:
  void write(const LocalTask& task, std::size_t client, const LocalReply& reply) {
    said_.insert_or_assign({key_of(task), client}, reply);
  }
  const LocalReply& said(const LocalTask& task, ClientId client) const {
    const auto found = said_.find({key_of(task), client.value});
    FUZZ_PROMISE(found != said_.end());
    return found->second;
  }

 private:
  std::map<std::pair<std::string, std::size_t>, LocalReply> said_;
};

class Owner final : public test::BareOwner {
 public:
  Owner(std::size_t place, const Kind& kind, bool edited, Book& book)
      : place_(place), kind_(kind), system_(table_of(place, kind)), book_(book) {
    if (edited) system_.rhs.front() += 1.0;
  }

  Result<TableShape> read(const std::string&, const io::Plan& plan) override {
    plan_ = plan;
    client_.reset();
    return TableShape{kind_.rows, kind_.columns, names_of_columns(kind_), false, false};
  }
  Result<ColumnSums> sum_columns(const io::SumColumns& question) override {
    site_.emplace(plan_, name_of_client(place_), copy_of(system_));
    return site_->sum_columns(question);
  }
  Result<std::vector<ColumnKind>> count_columns() override { return site_->column_kinds(); }
  Result<io::PreparedRows> prepare(const io::PrepareRows& wanted, ClientId place) override {
    io::TableSite site(plan_, name_of_client(place_), copy_of(system_));
    std::vector<std::string> warnings;
    auto made = std::move(site).prepare(wanted, {}, {place, 1 + place_}, warnings);
    if (!made) return made.error();
    client_ = *std::move(made);
    return io::PreparedRows{client_->summary(), client_->block().cols()};
  }
  Result<LocalReply> answer(const LocalTask& task) override {
    LocalReply reply = client_->local_update(task);
    book_.write(task, place_, reply);
    return reply;
  }

 private:
  std::size_t place_;
  const Kind& kind_;
  LinearSystem system_;
  Book& book_;
  io::Plan plan_;
  std::optional<io::TableSite> site_;
  std::optional<Client> client_;
};

/// Wants each sum to be that of what its clients said.
class CheckedEngine final : public Engine {
 public:
  CheckedEngine(Engine& inner, const Book& book, const bool& edited) : inner_(inner), book_(book), edited_(edited) {}
  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  Allowance allowance() const override { return inner_.allowance(); }

  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    RoundReplies round = inner_.local_updates(task, participants);
    if (edited_) return round;  // somebody had two answers
    if (task.reveal == Reveal::Sums) {
      check_sum(task, round);
    } else {
      for (const LocalReply& reply : round.replies) check_alike(reply, book_.said(task, reply.client));
    }
    return round;
  }

 private:
  void check_sum(const LocalTask& task, const RoundReplies& round) const {
    FUZZ_PROMISE(round.replies.empty() == round.answered.empty() && round.replies.size() <= 1);
    if (round.replies.empty()) return;
    std::vector<LocalReply> parts;
    for (const ClientId client : round.answered) parts.push_back(book_.said(task, client));
    check_alike(round.replies.front(), sum_of(task.work, std::move(parts)));
  }

  // A grid has some forty bits below the largest entry.
  static void check_alike(const LocalReply& found, const LocalReply& expected) {
    FUZZ_PROMISE(found.values.size() == expected.values.size());
    double largest = 1e-300;
    for (const double value : expected.values) largest = std::max(largest, std::abs(value));
    for (std::size_t j = 0; j < found.values.size(); ++j) {
      FUZZ_PROMISE(std::abs(found.values[j] - expected.values[j]) <= 1e-8 * largest);
    }
    check_scalar(found.squared_residual, expected.squared_residual);
    check_scalar(found.gap, expected.gap);
  }
  static void check_scalar(const std::optional<double>& found, const std::optional<double>& expected) {
    FUZZ_PROMISE(found.has_value() == expected.has_value());
    if (found) FUZZ_PROMISE(std::abs(*found - *expected) <= 1e-8 * std::abs(*expected) + 1e-12);
  }

  Engine& inner_;
  const Book& book_;
  const bool& edited_;
};

// ---- Clients, links, and the server between them.

class Play final : private Outbox, private RunClock {
 public:
  Play(const Kind& kind, Input& input) : input_(input), kind_(kind) {
    FUZZ_PROMISE(wire::take_plan(kind_.plan, plan_));
    plan_.default_intercept = plan_.job != io::Job::Fit;
    const double share = input_.rarely(4) ? 0.4 : 1e9;
    for (std::size_t i = 0; i < kind_.clients; ++i) {
      Machine& machine = machines_.emplace_back();
      machine.guard = store::replay_guard_in_memory();
      machine.ledger = store::disclosures_in_memory();
      machine.share = share;
      start(i);
    }
  }

  /// True where the run had come to its answer.
  bool run() {
    FederationOptions options;
    options.run = "fuzz";
    options.plan = plan_;
    options.masked = kind_.masked;
    for (std::size_t i = 0; i < kind_.clients; ++i) options.clients.push_back(name_of_client(i));
    options.join_limit = options.reply_limit = Milliseconds(400);
    options.away_limit = Milliseconds(100);
    options.heartbeat = Milliseconds(3'600'000);
    bool over = false;
    for (int life = 0; !over; ++life) {
      restart_ = false;
      may_restart_ = life < 2;
      over = live(options) || !restart_;
      server_ = nullptr;
      while (!links_.empty()) links_.erase(links_.begin());
      for (Machine& machine : machines_) machine.link = 0;
    }
    return converged_;
  }

 private:
  struct Link {
    std::size_t client = 0;
    std::deque<std::string> to_server{}, to_client{};  // chunks
    bool client_open = true;
    std::optional<Closing> closing{};  // by the server, after what was sent
  };
  struct Machine {
    std::unique_ptr<store::ReplayGuard> guard;
    std::unique_ptr<store::DisclosureLedger> ledger;
    double share = 0.0;
    std::unique_ptr<Owner> owner;
    std::unique_ptr<ClientProtocol> protocol;
    std::optional<wire::Reassembler<wire::ServerMessage>> incoming;
    ConnectionId link = 0;  // none
    bool gone = false;      // it was told not to come back, or that the run is over
    Clock::time_point retry{};
    MaskWatch watch;
  };

  // ---- The server's process. True where the run has ended, well or not.
  bool live(const FederationOptions& options) {
    SynchronizedProtocol protocol(options, *this, log_, *this);
    server_ = &protocol;
    try {
      if (!stored_) {
        auto agreed = agree(protocol, options);
        if (!agreed) return true;
        stored_ = *std::move(agreed);
        fix_preparation(*stored_, protocol);
      } else {
        go_on(options, protocol);
        if (!protocol.gather()) return true;
      }
      auto gathered = gathered_from(*stored_, plan_);
      if (!gathered) return true;
      NetworkEngine engine(protocol, options, gathered->roster, stored_->members.front().prepared.unknowns, 0,
                           gathered->allowance);
      CheckedEngine checked(engine, book_, edited_);
      const auto run = api::run_plan(checked, plan_, std::move(gathered->problem),
                                     {.title = "fuzz", .min_group = kind_.masked ? options.min_sum : 1});
      check_answer(run);
      if (restart_) return false;
      protocol.end({.status = "finished:completed", .final = true, .coefficients = run.coefficients});
      for (int k = 0; k < 100 && !links_.empty(); ++k) turn(now_ + Milliseconds(100));
      return true;
    } catch (const RunAborted&) {
      return !restart_;
    } catch (const InvalidArgument&) {
      return true;
    }
  }

  // With what an earlier process stored.
  void go_on(const FederationOptions& options, SynchronizedProtocol& protocol) {
    std::vector<ServerProtocol::Arrival> began;
    for (const auto& member : stored_->members) began.push_back({member.name, member.ready, member.known_draws});
    protocol.expect(began);
    if (options.masked) distribute_keys(*stored_, options.run, protocol);
    fix_preparation(*stored_, protocol);
  }

  void check_answer(const io::FinishedRun& run) {
    converged_ = run.result.converged.value_or(false);
    if (!converged_ || edited_ || kind_.columns > 2) return;
    std::vector<double> truth{2.0, -1.0};
    if (plan_.intercept) truth.insert(truth.begin(), kind_.constant);
    FUZZ_PROMISE(run.coefficients.size() == truth.size());
    for (std::size_t j = 0; j < truth.size(); ++j) FUZZ_PROMISE(std::abs(run.coefficients[j] - truth[j]) < 1e-5);
  }

  // ---- The clock of the run: while it waits, everything else happens.

  Clock::time_point now() const override { return now_; }
  void wait(std::condition_variable&, std::unique_lock<std::mutex>& lock, Clock::time_point until) override {
    lock.unlock();
    turn(until);
    lock.lock();
  }

  void turn(Clock::time_point until) {
    constexpr int kMost = 50'000;
    FUZZ_PROMISE(++turns_ < kMost);
    if (input_.more() && input_.rarely(4)) disturb();
    if (deliver_something()) return;
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      const bool may = is_away(machines_[i]) && machines_[i].retry <= now_;
      if (may && (!input_.more() || input_.maybe())) return connect(i);
    }
    for (const auto& [id, link] : links_) {  // the server learns of it at last
      if (!link.client_open) return forget(id);
    }
    for (const Machine& machine : machines_) {
      if (is_away(machine) && machine.retry > now_) until = std::min(until, machine.retry);
    }
    now_ = std::max(now_, until);
    server_->on_tick();
  }

  static bool is_away(const Machine& machine) { return machine.link == 0 && !machine.gone; }

  bool deliver_something() {
    std::vector<std::pair<ConnectionId, bool>> waiting;
    for (auto& [id, link] : links_) {
      if (!link.to_server.empty()) waiting.emplace_back(id, true);
      if (link.client_open && (!link.to_client.empty() || link.closing)) waiting.emplace_back(id, false);
    }
    if (waiting.empty()) return false;
    const auto chosen = input_.more() ? input_.below(static_cast<std::uint32_t>(waiting.size())) : 0;
    const auto [id, up] = waiting[chosen];
    up ? to_server(id) : to_client(id);
    return true;
  }

  void to_server(ConnectionId id) {
    Link& link = links_.at(id);
    const std::string chunk = std::move(link.to_server.front());
    link.to_server.pop_front();
    server_->on_chunk(id, chunk);
  }

  void to_client(ConnectionId id) {
    Link& link = links_.at(id);
    Machine& machine = machines_[link.client];
    if (link.to_client.empty()) {
      machine.gone = *link.closing == Closing::Denied || *link.closing == Closing::Unfit || machine.gone;
      return hang_up(link.client);
    }
    const std::string chunk = std::move(link.to_client.front());
    link.to_client.pop_front();
    auto message = machine.incoming->add(chunk);
    if (!message) return hang_up(link.client);
    if (!*message) return;
    const auto reaction = machine.protocol->on_message(**message);
    if (reaction.end) {
      machine.gone = reaction.end->final;
      return hang_up(link.client);
    }
    if (!reaction.answer) return;
    machine.watch.see(*reaction.answer, kind_.masked);
    say(link, *reaction.answer);
  }

  void say(Link& link, const wire::ClientMessage& message) {
    const std::size_t most = input_.rarely(16) ? 1 + input_.below(200) : wire::kChunk;
    for (std::string& chunk : chunks_of(bytes_of(message), most)) link.to_server.push_back(std::move(chunk));
  }

  // ---- Connections.

  void start(std::size_t i, bool edited = false) {
    Machine& machine = machines_[i];
    machine.owner = std::make_unique<Owner>(i, kind_, edited, book_);
    ClientProtocolOptions options{.name = name_of_client(i), .software = "fuzz"};
    options.consent.rules = {.min_rows = 0, .max_share = machine.share};
    options.consent.reveal_updates = options.consent.expose_rows = !kind_.masked;
    options.guard = machine.guard.get();
    options.ledger = machine.ledger.get();
    machine.protocol = std::make_unique<ClientProtocol>(options, *machine.owner, log_);
  }

  void connect(std::size_t i) {
    Machine& machine = machines_[i];
    machine.link = ++last_;
    machine.incoming.emplace(std::size_t{1} << 20, std::size_t{4096});
    Link& link = links_[last_];
    link.client = i;
    server_->on_open(last_, {});
    if (const auto made = links_.find(machine.link); made != links_.end()) say(made->second, machine.protocol->hello());
  }

  // The client's end goes; what it said may still arrive.
  void hang_up(std::size_t i) {
    Machine& machine = machines_[i];
    if (machine.link == 0) return;
    machine.retry = now_ + Milliseconds(20);
    Link& link = links_.at(std::exchange(machine.link, 0));
    link.client_open = false;
    link.to_client.clear();
  }

  // Both ends.
  void forget(ConnectionId id) {
    const auto found = links_.find(id);
    if (found == links_.end()) return;
    Machine& machine = machines_[found->second.client];
    if (machine.link == id) machine.link = 0;
    links_.erase(found);
    server_->on_closed(id);
  }

  void send(ConnectionId connection, OutgoingMessage outgoing) override {
    const auto found = links_.find(connection);
    if (found == links_.end()) return;
    FUZZ_PROMISE(!found->second.closing);
    for (std::string& chunk : chunks_of(*outgoing)) found->second.to_client.push_back(std::move(chunk));
  }
  void close(ConnectionId connection, Closing why, std::string) override {
    if (const auto found = links_.find(connection); found != links_.end()) found->second.closing = why;
  }

  // ---- What goes wrong.

  void disturb() {
    const auto i = input_.below(static_cast<std::uint32_t>(machines_.size()));
    const auto found = links_.find(machines_[i].link);
    Link* const link = found == links_.end() ? nullptr : &found->second;
    switch (input_.below(10)) {
      case 0:
        if (link != nullptr) forget(found->first);
        break;
      case 1:
        hang_up(i);
        if (link != nullptr && input_.maybe()) link->to_server.clear();
        break;
      case 2:
        hang_up(i);
        edited_ = edited_ || input_.rarely(8);  // its owner has changed a number: what it said stays what it said
        start(i, edited_);
        break;
      case 3:
        now_ += Milliseconds(input_.below(200));
        server_->on_tick();
        break;
      case 4:
        if (may_restart_ && input_.rarely(4)) {
          restart_ = true;
          server_->interrupt(Termination::Interrupted, "restart");
        }
        break;
      case 5:
        if (kind_.masked && link != nullptr && !link->to_client.empty()) {
          std::string& chunk = link->to_client[input_.below(static_cast<std::uint32_t>(link->to_client.size()))];
          input_.spoil(chunk);
        }
        break;
      case 6:
        if (link != nullptr) damage_on_the_way_up(link->to_server);
        break;
      default:
        if (link != nullptr) shuffle(input_.maybe() ? link->to_server : link->to_client);
        break;
    }
  }

  // No chunk is kept whole: a number that is another would be believed, as nothing but TLS tells.
  void damage_on_the_way_up(std::deque<std::string>& chunks) {
    if (chunks.empty() || input_.rarely(4)) return chunks.push_back(input_.text());
    std::string& chunk = chunks[input_.below(static_cast<std::uint32_t>(chunks.size()))];
    if (input_.maybe()) {
      chunk.resize(input_.below(static_cast<std::uint32_t>(chunk.size())));
    } else {
      chunk += input_.text();
    }
  }

  // Twice, or in another order.
  void shuffle(std::deque<std::string>& chunks) {
    if (chunks.empty()) return;
    const auto at = input_.below(static_cast<std::uint32_t>(chunks.size()));
    if (input_.maybe()) return chunks.push_back(std::string(chunks[at]));
    std::swap(chunks[at], chunks.front());
  }

  Input& input_;
  const Kind& kind_;
  io::Plan plan_;
  test::NoLog log_;
  Book book_;
  Clock::time_point now_{};
  int turns_ = 0;
  bool restart_ = false, may_restart_ = true, converged_ = false;
  bool edited_ = false;  // somebody's table
  std::optional<wire::StoredFederation> stored_;
  SynchronizedProtocol* server_ = nullptr;
  std::map<ConnectionId, Link> links_;
  ConnectionId last_ = 0;
  std::deque<Machine> machines_;
};

// Where nothing is disturbed, each kind of run has its answer.
bool calm_runs_end_well() {
  for (const Kind& kind : kinds()) {
    Input calm(nullptr, 0);
    const bool fits = Play(kind, calm).run();
    if (!fits) std::fprintf(stderr, "no answer to %s\n", kind.plan.front().name.c_str());
    FUZZ_PROMISE(fits);
  }
  return true;
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fedrk::fuzz;
  static const bool calm = calm_runs_end_well();
  Input input(data, size);
  const auto kind = input.below(static_cast<std::uint32_t>(kinds().size()));
  (void)Play(kinds()[kind], input).run();
  (void)calm;
  return 0;
}
