// SPDX-License-Identifier: Apache-2.0
//
// Whatever clients say and whenever connections come and go: only the answer to the question at hand is ever used.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/fuzz_input.hpp"
#include "round/accept_replies.hpp"
#include "support/local_federation.hpp"
#include "transport/protocol/switchboard.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::fuzz {
namespace {

using namespace network;
using Body = wire::ClientMessage;

const std::vector<std::string> kNames{"a", "b", "c"};

/// A transport that wants to be treated as the real one does.
class WatchedOutbox final : public Outbox {
 public:
  void send(ConnectionId connection, Parcel parcel) override {
    FUZZ_PROMISE(parcel && !parcel->empty());
    FUZZ_PROMISE(open.contains(connection) && !open[connection]);
  }
  void close(ConnectionId connection, Closing why, std::string) override {
    FUZZ_PROMISE(open.contains(connection));
    FUZZ_PROMISE(!open[connection] || why == Closing::Silent);
    open[connection] = true;
  }
  std::map<ConnectionId, bool> open;  // and whether it was told to go
};

wire::ClientMessage built(Input& input) {
  wire::ClientMessage message;
  switch (input.below(10)) {
    case 0:
      message.mutable_hello()->set_protocol(input.protocol());
      message.mutable_hello()->set_name(input.below(8) == 0 ? input.text() : kNames[input.below(3)]);
      break;
    case 1:
      message.mutable_ready()->set_rows(input.maybe() ? 3 : input.number());
      message.mutable_ready()->set_columns(input.maybe() ? 2 : input.number());
      for (std::uint32_t k = input.maybe() ? 0 : input.below(4); k > 0; --k) {
        message.mutable_ready()->add_names(input.text());
      }
      if (input.maybe()) message.mutable_ready()->mutable_mask_key()->set_key(input.text());
      break;
    case 2:
      message.mutable_heartbeat();
      break;
    case 3:
      message.mutable_column_sums()->set_run(input.run());
      message.mutable_column_sums()->set_squared(input.maybe());
      input.fill(*message.mutable_column_sums()->mutable_sums(), 2);
      break;
    case 4:
      message.mutable_prepared()->set_run(input.run());
      message.mutable_prepared()->set_rows(input.maybe() ? 3 : input.number());
      message.mutable_prepared()->set_squared_norm(input.maybe() ? 0.0 : input.real());
      if (input.maybe()) input.fill(*message.mutable_prepared()->mutable_masked_norms(), 2);
      break;
    case 5:
    case 6: {
      auto& update = *message.mutable_update();
      update.set_run(input.run());
      update.set_number(input.number());
      update.set_round(input.below(2));
      update.set_attempt(input.below(3));
      update.set_masked(input.maybe());
      input.fill(*update.mutable_values(), 2);
      if (input.maybe()) update.set_squared_residual(input.real());
      if (input.maybe()) update.set_gap(input.real());
      break;
    }
    case 7:
      message.mutable_refusal()->set_run(input.run());
      message.mutable_refusal()->set_reason(input.text());
      if (input.maybe()) message.mutable_refusal()->set_number(input.number());
      message.mutable_refusal()->set_attempt(input.below(3));
      if (input.maybe()) message.mutable_refusal()->set_answered(static_cast<std::uint32_t>(input.number()));
      break;
    case 8:
      input.fill(*message.mutable_piece());
      break;
    default:
      break;
  }
  return message;
}

// As the assembly leaves it, so that what came out can be compared with what went in.
std::string bytes_of(wire::ClientMessage message) {
  wire::vectors_of(message);
  return message.SerializeAsString();
}

FederationOptions options_from(Input& input, const bool& revoked) {
  FederationOptions options;
  options.run = "fuzz";
  options.clients = kNames;
  options.masked = input.maybe();
  options.enough = 1 + input.below(3);
  options.join_limit = options.reply_limit = options.away_limit = Milliseconds(0);  // nothing waits
  options.heartbeat = input.below(4) == 0 ? Milliseconds(0) : Milliseconds(3'600'000);
  options.hello_limit = options.heartbeat;
  options.most_connections = 12;
  options.veto = [&revoked](const std::string&) { return revoked ? "revoked" : ""; };
  return options;
}

class Play {
 public:
  explicit Play(Input& input)
      : input_(input), board_(std::make_unique<Switchboard>(options_from(input, revoked_), outbox_, log_)) {}

  void run() {
    for (int step = 0; step < 300 && input_.more(); ++step) {
      act();
      if (step % 16 == 15) check_counts();
    }
    if (question_) wait();
    while (!outbox_.open.empty()) close(outbox_.open.begin()->first);
    FUZZ_PROMISE(board_->connections() == 0);
    for (const SeatStatus& seat : board_->status())
      FUZZ_PROMISE(seat.presence == "away" || seat.presence == "put aside");
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
        if (wire::ClientMessage message; input_.parse(message)) say(any_connection(), std::move(message));
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
        board_->on_tick();
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
          board_->report_wrong(ClientId{input_.below(places)}, input_.text());
        }
        break;
      case 14:
        revoked_ = input_.below(8) == 0;
        break;
      default:
        rarely();
        break;
    }
  }

  void rarely() {
    if (input_.below(8) != 0) return;
    if (input_.maybe()) board_->interrupt(Termination::Interrupted, input_.text());
    if (input_.maybe()) board_->end(wire::End());
  }

  // ---- Connections.

  ConnectionId any_connection() { return last_ == 0 ? 1 : 1 + input_.below(static_cast<std::uint32_t>(last_)); }

  ConnectionId open() {
    Peer peer;
    if (input_.below(4) == 0) peer = {kNames[input_.below(3)], "certificate", "there"};
    outbox_.open[++last_] = false;
    board_->on_open(last_, std::move(peer));
    return last_;
  }

  void join(const std::string& name) {
    const ConnectionId connection = open();
    wire::ClientMessage message;
    message.mutable_hello()->set_protocol(wire::kProtocol);
    message.mutable_hello()->set_name(name);
    say(connection, message);
    message.mutable_ready()->set_rows(3);
    message.mutable_ready()->set_columns(2);
    say(connection, message);
    message.mutable_prepared()->set_run("fuzz");
    message.mutable_prepared()->set_rows(3);
    if (prepared_) say(connection, message);
  }

  void say(ConnectionId connection, wire::ClientMessage message) {
    if (wire::holds<wire::Hello>(message) && outbox_.open.contains(connection))
      names_.try_emplace(connection, std::get<wire::Hello>(message).name);
    pieces_ = pieces_ || message.has_piece();
    const auto name = names_.find(connection);
    said_.emplace_back(name == names_.end() ? "" : name->second, bytes_of(message));
    board_->on_message(connection, std::move(message));
  }

  void close(ConnectionId connection) {
    board_->on_closed(connection);
    outbox_.open.erase(connection);
  }

  // ---- The run.

  void prepare() {
    if (prepared_) return;
    try {
      const auto arrivals = board_->gather();
      if (!arrivals || input_.maybe()) return;
      wire::Prepared expected;
      expected.set_rows(3);
      prepared_ = true;
      if (input_.maybe()) {
        wire::Company company;
        for (const auto& arrival : *arrivals) company.add_members()->set_name(arrival.name);
        board_->introduce(std::move(company));
      }
      board_->fix_preparation(std::vector<wire::Prepare>(arrivals->size()), std::vector(arrivals->size(), expected));
    } catch (const RunEnded&) {
    }
  }

  void begin() {
    constexpr Body::BodyCase kKinds[] = {Body::kUpdate, Body::kUpdate, Body::kColumnSums, Body::kPrepared};
    question_ = Switchboard::Question{.kind = kKinds[input_.below(4)],
                                      .number = input_.below(4),
                                      .attempt = input_.below(3),
                                      .parcel = [](ClientId) { return parcel_of(wire::ServerMessage()); },
                                      .longest = input_.below(5),
                                      .squared = input_.maybe()};
    longest_ = std::max(longest_, question_->longest);
    asked_.clear();
    aside_.clear();
    const auto seats = board_->status();
    for (std::uint32_t i = 0; i < seats.size(); ++i) {
      if (input_.below(4) == 0) continue;
      asked_.push_back(ClientId{i});
      aside_.push_back(seats[i].presence == "put aside");
    }
    said_.clear();
    pieces_ = false;
    try {
      board_->begin(*question_, asked_);
    } catch (const RunEnded&) {
      question_.reset();
    }
  }

  void answer_well() {
    for (const auto& [connection, told_to_go] : outbox_.open) {
      wire::ClientMessage message;
      if (question_->kind == Body::kUpdate) {
        message.mutable_update()->set_run("fuzz");
        message.mutable_update()->set_number(question_->number);
        message.mutable_update()->set_attempt(question_->attempt);
        input_.fill(*message.mutable_update()->mutable_values(), 2);
      } else if (question_->kind == Body::kColumnSums) {
        message.mutable_column_sums()->set_run("fuzz");
        message.mutable_column_sums()->set_squared(question_->squared);
      } else {
        message.mutable_prepared()->set_run("fuzz");
      }
      if (names_.contains(connection)) say(connection, std::move(message));
    }
  }

  void wait() {
    const Switchboard::Question question = *std::exchange(question_, std::nullopt);
    std::vector<Switchboard::Answer> answers;
    try {
      answers = board_->wait();
    } catch (const RunEnded&) {
      return;
    }
    FUZZ_PROMISE(answers.size() == asked_.size());
    std::vector<LocalReply> replies;
    for (std::size_t k = 0; k < answers.size(); ++k) {
      FUZZ_PROMISE(answers[k].client == asked_[k]);
      FUZZ_PROMISE(answers[k].message.has_value() == answers[k].absence.empty());
      if (answers[k].message) check_answer(question, answers[k], aside_[k]);
    }
    use(answers);
  }

  void check_answer(const Switchboard::Question& question, const Switchboard::Answer& answer, bool was_aside) {
    const wire::ClientMessage& message = *answer.message;
    FUZZ_PROMISE(!was_aside);
    FUZZ_PROMISE(message.body_case() == question.kind);
    if (wire::holds<wire::Update>(message)) {
      FUZZ_PROMISE(std::get<wire::Update>(message).run == "fuzz" &&
                   std::get<wire::Update>(message).number == question.number);
      FUZZ_PROMISE(std::get<wire::Update>(message).attempt == question.attempt);
      const auto& values = std::get<wire::Update>(message).values;
      FUZZ_PROMISE(values.length() == static_cast<std::uint64_t>(values.values_size()) && values.length() <= longest_);
    }
    if (wire::holds<wire::ColumnSums>(message))
      FUZZ_PROMISE(std::get<wire::ColumnSums>(message).squared == question.squared);
    if (pieces_) return;
    const std::string name = board_->status()[answer.client.value].name;
    FUZZ_PROMISE(std::ranges::find(said_, std::pair(name, bytes_of(message))) != said_.end());
  }

  // What the engine does with them: nothing that a client sends may spoil a sum.
  void use(const std::vector<Switchboard::Answer>& answers) {
    const std::vector<double> x{0.0, 0.0};
    LocalTask task{RoundIndex{0}, x, FixedSteps{1}, input_.maybe()};
    if (input_.maybe()) task.work = ValidSteps{FixedSteps{1}};
    RoundReplies round;
    for (const auto& answer : answers) {
      if (!answer.message || !wire::holds<wire::Update>(*answer.message)) continue;
      LocalReply reply = wire::reply_from(std::get<wire::Update>(*answer.message), answer.client, task);
      if (fault_of(task, x.size(), reply).empty()) round.replies.push_back(std::move(reply));
    }
    task.reveal = Reveal::Sums;
    keep_only_the_sum(task, x.size(), asked_, round);
    FUZZ_PROMISE(round.replies.size() == (round.answered.empty() ? 0U : 1U));
  }

  void check_counts() {
    for (const SeatStatus& seat : board_->status()) {
      SeatCounts& before = counts_[seat.name];
      const SeatCounts& now = seat.counts;
      FUZZ_PROMISE(now.joined >= before.joined && now.answers >= before.answers && now.late >= before.late &&
                   now.lost >= before.lost && now.stale >= before.stale && now.duplicates >= before.duplicates &&
                   now.wrong >= before.wrong);
      before = now;
    }
  }

  Input& input_;
  bool revoked_ = false, prepared_ = false, pieces_ = false;
  test::NoLog log_;
  WatchedOutbox outbox_;
  std::unique_ptr<Switchboard> board_;
  ConnectionId last_ = 0;
  std::map<ConnectionId, std::string> names_;
  std::vector<std::pair<std::string, std::string>> said_;  // by whom, since the question
  std::optional<Switchboard::Question> question_;
  std::vector<ClientId> asked_;
  std::vector<bool> aside_;
  std::size_t longest_ = 0;
  std::map<std::string, SeatCounts> counts_;
};

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  fedrk::fuzz::Play(input).run();
  return 0;
}
