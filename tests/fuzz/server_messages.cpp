// SPDX-License-Identifier: Apache-2.0
//
// Whatever clients say, whenever connections come and go, and however time passes: only the answer to the question at
// hand is ever used, and every wait ends.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/fuzz_messages.hpp"
#include "round/accept_replies.hpp"
#include "support/local_federation.hpp"
#include "transport/protocol/server_protocol.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::fuzz {
namespace {

using namespace network;

const std::vector<std::string> kNames{"a", "b", "c"};

/// A transport that wants to be treated as the real one does.
class WatchedOutbox final : public Outbox {
 public:
  void send(ConnectionId connection, OutgoingMessage outgoing) override {
    FUZZ_PROMISE(outgoing && parsed<wire::ServerMessage>(*outgoing));
    FUZZ_PROMISE(open.contains(connection) && !open[connection]);
  }
  void close(ConnectionId connection, Closing why, std::string) override {
    FUZZ_PROMISE(open.contains(connection));
    FUZZ_PROMISE(!open[connection] || why == Closing::Silent);
    open[connection] = true;
  }
  std::map<ConnectionId, bool> open;  // and whether it was told to go
};

// What makes more of a message that holds anything at all.

void make_plausible(wire::Hello& hello, Input& input) {
  hello.protocol = any_protocol(input);
  hello.name = input.rarely(8) ? input.text() : kNames[input.below(3)];
}

void make_plausible(wire::Ready& ready, Input& input) {
  if (input.maybe()) ready.rows = 3;
  if (input.maybe()) ready.columns = 2;
  if (input.maybe()) ready.names.clear();
  if (input.maybe()) ready.membership = {};
}

void make_plausible(wire::ColumnSums& sums, Input& input) {
  input.fill(sums.sums, 2);
  if (input.maybe()) sums.part.words.clear();
}

void make_plausible(wire::Prepared& prepared, Input& input) {
  if (input.maybe()) prepared = {.run = prepared.run, .rows = 3};
}

void make_plausible(wire::Update& update, Input& input) {
  if (input.maybe()) update.number = input.number();
  update.round = input.below(2);
  input.fill(update.values, 2);
  if (input.maybe()) update.masked.reset();
}

void make_plausible(wire::Refusal& refusal, Input& input) {
  if (input.maybe()) refusal.number = input.number();
}

void make_plausible(wire::Heartbeat&, Input&) {}

wire::ClientMessage built(Input& input) {
  wire::ClientMessage message;
  fill(message, input);
  std::visit(
      [&](auto& body) {
        if constexpr (requires { body.run; }) body.run = any_run(input);
        make_plausible(body, input);
      },
      message);
  return message;
}

FederationOptions options_from(Input& input, const bool& revoked) {
  FederationOptions options;
  options.run = "fuzz";
  options.clients = kNames;
  options.masked = input.maybe();
  options.min_clients = 1 + input.below(3);
  options.join_limit = options.reply_limit = Milliseconds(input.below(64));
  options.away_limit = Milliseconds(input.below(64));
  options.heartbeat = input.rarely(4) ? Milliseconds(0) : Milliseconds(3'600'000);
  options.hello_limit = options.heartbeat;
  options.max_connections = 12;
  options.veto = [&revoked](const std::string&) { return revoked ? "revoked" : ""; };
  return options;
}

class Play {
 public:
  explicit Play(Input& input)
      : input_(input), board_(std::make_unique<ServerProtocol>(options_from(input, revoked_), outbox_, log_, now_)) {}

  void run() {
    for (int step = 0; step < 300 && input_.more(); ++step) {
      act();
      if (step % 16 == 15) check_counts();
    }
    if (question_) wait();
    while (!outbox_.open.empty()) close(outbox_.open.begin()->first);
    FUZZ_PROMISE(board_->connections() == 0);
    for (const ClientStatus& session : board_->status())
      FUZZ_PROMISE(session.presence == "away" || session.presence == "quarantined");
  }

 private:
  void act() {
    switch (input_.below(16)) {
      case 0:
        open();
        break;
      case 1:
      case 2:
        join(kNames[input_.below(3)]);
        break;
      case 3:
        say_raw(any_connection(), input_.raw());
        break;
      case 4:
      case 5:
      case 6:
      case 7:
        say(any_connection(), built(input_));
        break;
      case 8:
        close(any_connection());
        break;
      case 9:
        now_ += Milliseconds(input_.below(32));
        board_->on_tick(now_);
        break;
      case 10:
        question_ ? wait() : prepare();
        break;
      case 11:
      case 12:
        question_ ? answer_well() : begin();
        break;
      case 13:
        if (!board_->status().empty()) {
          const auto places = static_cast<std::uint32_t>(board_->status().size());
          board_->report_wrong(ClientId{input_.below(places)}, input_.text(), now_);
        }
        break;
      case 14:
        revoked_ = input_.rarely(8);
        break;
      default:
        do_what_is_rare();
        break;
    }
  }

  void do_what_is_rare() {
    if (!input_.rarely(8)) return;
    if (input_.maybe()) board_->interrupt(Termination::Interrupted, input_.text());
    if (input_.maybe()) board_->end({}, now_);
  }

  // ---- Connections.

  ConnectionId any_connection() { return last_ == 0 ? 1 : 1 + input_.below(static_cast<std::uint32_t>(last_)); }

  ConnectionId open() {
    Peer peer;
    if (input_.rarely(4)) peer = {kNames[input_.below(3)], "certificate", "there"};
    outbox_.open[++last_] = false;
    board_->on_open(last_, std::move(peer), now_);
    return last_;
  }

  void join(const std::string& name) {
    const ConnectionId connection = open();
    say(connection, wire::Hello{.name = name});
    say(connection, wire::Ready{.rows = 3, .columns = 2});
    if (prepared_) say(connection, wire::Prepared{.run = "fuzz", .rows = 3});
  }

  void say(ConnectionId connection, const wire::ClientMessage& message) {
    std::string bytes = bytes_of(message);
    const auto chunks = any_chunks_of(bytes, input_);
    note(connection, bytes);
    for (const std::string& chunk : chunks) board_->on_chunk(connection, chunk, now_);
  }

  void say_raw(ConnectionId connection, const std::string& chunk) {
    const bool whole = chunk.starts_with(static_cast<char>(wire::ChunkKind::Whole));
    if (whole) note(connection, chunk.substr(1));
    parts_ = parts_ || !whole;  // which may make a message with others
    board_->on_chunk(connection, chunk, now_);
  }

  // Who says what.
  void note(ConnectionId connection, const std::string& bytes) {
    const auto message = parsed<wire::ClientMessage>(bytes);
    const auto* hello = message ? std::get_if<wire::Hello>(&*message) : nullptr;
    if (hello != nullptr && outbox_.open.contains(connection)) names_.try_emplace(connection, hello->name);
    const auto name = names_.find(connection);
    said_.emplace_back(name == names_.end() ? "" : name->second, bytes);
  }

  void close(ConnectionId connection) {
    board_->on_closed(connection, now_);
    outbox_.open.erase(connection);
  }

  // ---- The run.

  // Nothing more happens: what was begun is over by its deadlines alone.
  void wait_until_over() {
    while (const auto next = board_->next_deadline(now_)) {
      FUZZ_PROMISE(*next > now_);
      now_ = *next;
    }
  }

  void prepare() {
    if (prepared_) return;
    try {
      board_->begin_gathering(now_);
      wait_until_over();
      const auto arrivals = board_->take_arrivals(now_);
      if (!arrivals || input_.maybe()) return;
      const wire::Prepared expected{.run = "fuzz", .rows = 3};
      prepared_ = true;
      if (input_.maybe()) {
        wire::MaskingGroup masking_group;
        for (const auto& arrival : *arrivals) masking_group.members.push_back({arrival.name, {}});
        board_->distribute_keys(std::move(masking_group));
      }
      board_->fix_preparation(std::vector<wire::Prepare>(arrivals->size()), std::vector(arrivals->size(), expected));
    } catch (const RunAborted&) {
    }
  }

  void begin() {
    constexpr std::size_t kKinds[] = {wire::kAnswerKind<wire::Update>, wire::kAnswerKind<wire::Update>,
                                      wire::kAnswerKind<wire::ColumnSums>, wire::kAnswerKind<wire::Prepared>};
    constexpr auto kSums = enumerators(io::SumColumns::Of{});
    question_ = ServerProtocol::Question{.kind = kKinds[input_.below(4)],
                                         .number = input_.below(4),
                                         .outgoing = [](ClientId) { return outgoing_of(wire::Task()); },
                                         .max_length = input_.below(5),
                                         .of = kSums[input_.below(3)]};
    max_length_ = std::max(max_length_, question_->max_length);
    asked_.clear();
    quarantined_.clear();
    const auto sessions = board_->status();
    for (std::uint32_t i = 0; i < sessions.size(); ++i) {
      if (input_.rarely(4)) continue;
      asked_.push_back(ClientId{i});
      quarantined_.push_back(sessions[i].presence == "quarantined");
    }
    said_.clear();
    parts_ = false;
    try {
      board_->begin(*question_, asked_, now_);
    } catch (const RunAborted&) {
      question_.reset();
    }
  }

  void answer_well() {
    for (const auto& [connection, told_to_go] : outbox_.open) {
      wire::ClientMessage message = wire::Prepared{.run = "fuzz"};
      if (question_->kind == wire::kAnswerKind<wire::Update>) {
        auto& update = message.emplace<wire::Update>();
        update = {.run = "fuzz", .number = question_->number};
        input_.fill(update.values, 2);
      } else if (question_->kind == wire::kAnswerKind<wire::ColumnSums>) {
        message = wire::ColumnSums{.run = "fuzz", .of = question_->of};
      }
      if (names_.contains(connection)) say(connection, message);
    }
  }

  void wait() {
    std::vector<ServerProtocol::Answer> answers;
    try {
      wait_until_over();  // which looks at the question
      answers = board_->take_answers();
    } catch (const RunAborted&) {
      return question_.reset();
    }
    const ServerProtocol::Question question = *std::exchange(question_, std::nullopt);
    FUZZ_PROMISE(answers.size() == asked_.size());
    std::vector<LocalReply> replies;
    for (std::size_t k = 0; k < answers.size(); ++k) {
      FUZZ_PROMISE(answers[k].client == asked_[k]);
      FUZZ_PROMISE(answers[k].message.has_value() == answers[k].absence.empty());
      if (answers[k].message) check_answer(question, answers[k], quarantined_[k]);
    }
    use(answers);
  }

  void check_answer(const ServerProtocol::Question& question, const ServerProtocol::Answer& answer,
                    bool was_quarantined) {
    const wire::ClientMessage& message = *answer.message;
    FUZZ_PROMISE(!was_quarantined);
    FUZZ_PROMISE(message.index() == question.kind);
    if (const auto* update = std::get_if<wire::Update>(&message)) {
      FUZZ_PROMISE(update->run == "fuzz" && update->number == question.number);
      FUZZ_PROMISE(update->values.size() + (update->masked ? update->masked->size() : 0) <= max_length_);
    }
    const auto* sums = std::get_if<wire::ColumnSums>(&message);
    FUZZ_PROMISE(sums == nullptr || sums->of == question.of);
    if (parts_) return;
    const std::string name = board_->status()[answer.client.value].name;
    FUZZ_PROMISE(std::ranges::find(said_, std::pair(name, bytes_of(message))) != said_.end());
  }

  // What the engine does with them: nothing that a client sends may spoil a sum.
  void use(const std::vector<ServerProtocol::Answer>& answers) {
    const std::vector<double> x{0.0, 0.0};
    LocalTask task{RoundIndex{0}, x, FixedSteps{1}, input_.maybe()};
    if (input_.maybe()) task.work = CutSteps{FixedSteps{1}};
    RoundReplies round;
    for (const auto& answer : answers) {
      const auto* update = answer.message ? std::get_if<wire::Update>(&*answer.message) : nullptr;
      if (update == nullptr) continue;
      LocalReply reply = wire::reply_from(*update, answer.client, task);
      if (fault_of(task, x.size(), reply).empty()) round.replies.push_back(std::move(reply));
    }
    task.reveal = Reveal::Sums;
    keep_only_the_sum(task, x.size(), asked_, round);
    FUZZ_PROMISE(round.replies.size() == (round.answered.empty() ? 0U : 1U));
  }

  void check_counts() {
    for (const ClientStatus& session : board_->status()) {
      ClientCounters& before = counts_[session.name];
      const ClientCounters& now = session.counts;
      FUZZ_PROMISE(now.joined >= before.joined && now.answers >= before.answers && now.late >= before.late &&
                   now.lost >= before.lost && now.stale >= before.stale && now.duplicates >= before.duplicates &&
                   now.wrong >= before.wrong);
      before = now;
    }
  }

  Input& input_;
  Clock::time_point now_{};
  bool revoked_ = false, prepared_ = false, parts_ = false;
  test::NoLog log_;
  WatchedOutbox outbox_;
  std::unique_ptr<ServerProtocol> board_;
  ConnectionId last_ = 0;
  std::map<ConnectionId, std::string> names_;
  std::vector<std::pair<std::string, std::string>> said_;  // by whom, since the question
  std::optional<ServerProtocol::Question> question_;
  std::vector<ClientId> asked_;
  std::vector<bool> quarantined_;
  std::size_t max_length_ = 0;
  std::map<std::string, ClientCounters> counts_;
};

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  fedrk::fuzz::Play(input).run();
  return 0;
}
