// SPDX-License-Identifier: Apache-2.0
#include "network/participant.hpp"

#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "fedrk/linalg/kernels.hpp"
#include "fedrk/methods/exposure.hpp"
#include "network/mask_names.hpp"
#include "network/vectors.hpp"
#include "network/wire.hpp"

namespace fedrk::network {
namespace {

constexpr const char* kUnfit = "its data do not fit this plan; its own log says why";

v1::Ready ready_message(const TableShape& shape) {
  v1::Ready ready;
  ready.set_rows(shape.rows);
  ready.set_columns(shape.columns);
  for (const std::string& name : shape.names) ready.add_names(name);
  ready.set_sparse(shape.sparse);
  ready.set_open_ended(shape.open_ended);
  return ready;
}

v1::Prepared prepared_message(const std::string& run, const PreparedRows& rows) {
  v1::Prepared prepared;
  prepared.set_run(run);
  prepared.set_rows(rows.summary.rows);
  prepared.set_unknowns(rows.unknowns);
  prepared.set_squared_rhs_norm(rows.summary.squared_rhs_norm);
  prepared.set_squared_norm(rows.summary.squared_norm);
  return prepared;
}

// What is longer has no text, and so no name.
constexpr std::size_t kLongestText = std::numeric_limits<std::int32_t>::max();
// Around a message, at most.
constexpr std::size_t kFrame = 64;
// More places than any federation has; a task with something for this client alone makes room for all before it.
constexpr std::uint32_t kMostPlaces = 1 << 20;

std::vector<double> vector_from(const v1::Vector& vector) { return {vector.values().begin(), vector.values().end()}; }

}  // namespace

Participant::Participant(ParticipantOptions options, DataOwner& owner, operation::Log& log)
    : options_(std::move(options)),
      owner_(owner),
      log_(log),
      masked_({options_.name, options_.credentials, options_.book, options_.min_sum, options_.budget}, log) {}

v1::ClientMessage Participant::hello() const {
  v1::ClientMessage message;
  auto& hello = *message.mutable_hello();
  hello.set_protocol(wire::kProtocol);
  hello.set_software(options_.software);
  hello.set_name(options_.name);
  hello.set_known_draws(options_.known_draws);
  return message;
}

// What is wrong with data may quote them: such words are for the own log alone.
Participant::Reaction Participant::refuse_for(const std::string& detail, std::string reason,
                                              std::optional<std::uint64_t> number) {
  log_.error("data.wrong", {{"reason", detail}});
  return refuse(std::move(reason), number);
}

Participant::Reaction Participant::refuse(std::string reason, std::optional<std::uint64_t> number) {
  log_.error("refused", {{"reason", reason}});
  v1::ClientMessage message;
  message.mutable_refusal()->set_run(run_);
  message.mutable_refusal()->set_reason(std::move(reason));
  if (number) message.mutable_refusal()->set_number(*number);
  return {std::move(message)};
}

Participant::Reaction Participant::refuse_task(std::string reason, const v1::Task& task,
                                               std::optional<std::uint32_t> answered) {
  Reaction reaction = refuse(std::move(reason), task.number());
  reaction.answer->mutable_refusal()->set_attempt(task.attempt());
  if (answered) reaction.answer->mutable_refusal()->set_answered(*answered);
  return reaction;
}

// Whatever goes wrong with the work of one message, the server is told, and the client stays for the next.
Participant::Reaction Participant::on_message(const v1::ServerMessage& message) try {
  if (message.ByteSizeLong() > kLongestText) return refuse("a message of more than 2 GB");
  if (unfit_ && message.has_task()) return refuse_task(kUnfit, message.task());
  if (unfit_ && !message.has_end()) return refuse(kUnfit);
  switch (message.body_case()) {
    case v1::ServerMessage::kWelcome:
      return on_welcome(message.welcome());
    case v1::ServerMessage::kSumColumns:
      if (!ready_ || message.sum_columns().run() != run_) return refuse("sums of another run were asked for");
      if (message.sum_columns().columns() > options_.longest_vector) return refuse("sums of too many columns");
      if (const auto put = order(message.sum_columns().names()); !put) return refuse_for(put.error().message, kUnfit);
      return sums(owner_.column_sums(message.sum_columns().columns()), false, canonical(message.sum_columns()));
    case v1::ServerMessage::kSumSquares:
      if (!ready_ || message.sum_squares().run() != run_) return refuse("sums of another run were asked for");
      if (const auto put = order(message.sum_squares().names()); !put) return refuse_for(put.error().message, kUnfit);
      return sums(owner_.column_square_sums(wire::view(message.sum_squares().centre())), true,
                  canonical(message.sum_squares()));
    case v1::ServerMessage::kCompany:
      return on_company(message.company());
    case v1::ServerMessage::kPrepare:
      return on_prepare(message.prepare());
    case v1::ServerMessage::kTask:
      return on_task(message.task());
    case v1::ServerMessage::kEnd:
      return {std::nullopt, message.end()};
    case v1::ServerMessage::kPiece:
    case v1::ServerMessage::BODY_NOT_SET:
      break;
  }
  return refuse("the server sent a message that this program does not know");
} catch (const std::exception& error) {
  const bool task = message.has_task();
  return refuse_for(error.what(), "it could not do what was asked; its own log says why",
                    task ? std::optional(message.task().number()) : std::nullopt);
}

// What the owner of the rows has not agreed to, if anything.
std::string Participant::unwelcome(const v1::Welcome& welcome) const {
  if (welcome.masked() && options_.known_draws) {
    return "its draws derive from the plan's seed, which the server knows: not in a private run; set draws to secret";
  }
  if (plan_.method.privacy.on() && !welcome.masked()) return "differential privacy is for masked sums only";
  if (const auto agreed = masked_.agree_to(welcome.run(), plan_.method.privacy); !agreed) return agreed.error().message;
  if (welcome.masked() && plan_.row_sampling == RowSampling::Greedy) {
    return "greedy steps draw nothing, and would be the same each time: not in a private run";
  }
  if (welcome.masked()) return "";
  if (!options_.reveal_updates) {
    return "the server wants to see single updates, from which it could rebuild rows; where that is all right, both "
           "sides say --reveal updates";
  }
  const std::string exposed =
      options_.expose_rows ? "" : exposed_rows(goal_of(plan_.method, plan_.run), io::resolve(plan_).run);
  return exposed.empty() ? "" : exposed + "; where that is all right, both sides say --expose-rows";
}

Participant::Reaction Participant::on_company(const v1::Company& company) {
  if (!ready_ || !masked_run_) return refuse("keys for masks came out of turn");
  if (const auto met = masked_.meet(company); !met) return refuse(met.error().message);
  return {};
}

Participant::Reaction Participant::on_welcome(const v1::Welcome& welcome) {
  if (welcome.protocol() != wire::kProtocol) return refuse("the server speaks another version of the protocol");
  std::string text = canonical(welcome);
  if (!ready_ || text != welcome_) {
    run_ = welcome.run();
    welcome_ = std::move(text);
    preparation_.clear();
    ready_.reset();
    prepared_.reset();
    plan_ = {};
    std::vector<const v1::PlanEntry*> entries;
    for (const v1::PlanEntry& entry : welcome.plan()) entries.push_back(&entry);
    if (const auto taken = wire::take_plan(entries, plan_); !taken) return refuse(taken.error().message);
    if (std::string words = unwelcome(welcome); !words.empty()) return refuse(std::move(words));
    masked_run_ = welcome.masked();
    if (!masked_run_) log_.warning("reveal.updates", {{"note", kUpdatesRevealed}});
    log_.info("data.reading", {{"run", run_}});
    const auto shape = owner_.read(run_, plan_);
    if (!shape) return refuse_for(shape.error().message, kUnfit);
    v1::Ready ready = ready_message(*shape);
    if (masked_run_) {
      auto key = masked_.begin(run_, welcome_, plan_.method.privacy);
      if (!key) return refuse_for(key.error().message, "it cannot make keys for masks; its own log says why");
      *ready.mutable_mask_key() = *std::move(key);
    }
    if (ready.ByteSizeLong() + kFrame > options_.largest_message) {
      return refuse("the names of the columns are longer than a message may be; leave them out, or shorten them");
    }
    ready_ = std::move(ready);
  }
  v1::ClientMessage message;
  *message.mutable_ready() = *ready_;
  return {std::move(message)};
}

// The columns of another client, where some have them in another order.
Result<void> Participant::order(const google::protobuf::RepeatedPtrField<std::string>& names) {
  if (names.empty()) return {};
  return owner_.order_columns({names.begin(), names.end()});
}

Participant::Reaction Participant::sums(const Result<ColumnSums>& made, bool squared, std::string_view about) {
  if (!made) return refuse_for(made.error().message, kUnfit);
  if (plan_.method.privacy.on()) return refuse("sums of columns would be without noise, in a run with an epsilon");
  v1::ClientMessage message;
  auto& answer = *message.mutable_column_sums();
  answer.set_run(run_);
  answer.set_rows(made->rows);
  answer.set_squared(squared);
  if (!masked_run_) {
    wire::set_vector(*answer.mutable_sums(), made->sums);
    return {std::move(message)};
  }
  const auto words = masked_.sum_over_all(squared ? "squares" : "columns", about, made->sums);
  if (!words) return refuse(words.error().message);
  wire::set_words(*answer.mutable_sums(), *words);
  return {std::move(message)};
}

std::string Participant::wrong_preparation(const v1::Prepare& prepare) const {
  if (prepare.columns() > options_.longest_vector) return "the server wants too many columns";
  if (prepare.place() >= kMostPlaces) return "the server counts more clients than there can be";
  if (!all_finite(wire::view(prepare.centre())) || !all_finite(wire::view(prepare.scale()))) {
    return "the server's scales are not finite";
  }
  if (prepare.standardized() != (io::resolve(plan_).columns != io::ColumnScaling::AsTheyAre)) {
    return "the plan says otherwise whether columns are scaled";
  }
  return "";
}

Participant::Reaction Participant::on_prepare(const v1::Prepare& prepare) {
  if (!ready_ || prepare.run() != run_) return refuse("rows of another run were to be prepared");
  std::string text = canonical(prepare);
  if (!prepared_ || text != preparation_ || prepare.place() != place_.value) {
    prepared_.reset();
    if (std::string wrong = wrong_preparation(prepare); !wrong.empty()) return refuse(std::move(wrong));
    Preparation wanted{prepare.columns(), std::nullopt, ClientId{prepare.place()}};
    if (prepare.standardized()) {
      wanted.scaling = Scaling{vector_from(prepare.centre()), vector_from(prepare.scale())};
    }
    if (masked_run_) {
      if (const auto first = masked_.prepare(prepare); !first) return refuse(first.error().message);
    }
    if (const auto put = order(prepare.names()); !put) return refuse_for(put.error().message, kUnfit);
    const auto rows = owner_.prepare(wanted);
    if (!rows) {
      // That rows do not fit such scales tells something of them: once.
      unfit_ = masked_run_;
      return refuse_for(rows.error().message, kUnfit);
    }
    prepared_ = prepared_message(run_, *rows);
    if (masked_run_) {
      // Norms have no noise: where that is promised they stay here.
      const bool noisy = plan_.method.privacy.on();
      const double norms[] = {noisy ? 0.0 : rows->summary.squared_norm, noisy ? 0.0 : rows->summary.squared_rhs_norm};
      const auto words = masked_.norms(norms);
      if (!words) return prepared_.reset(), refuse(words.error().message);
      prepared_->clear_squared_norm();
      prepared_->clear_squared_rhs_norm();
      wire::set_words(*prepared_->mutable_masked_norms(), *words);
    }
    rows_ = *rows;
    preparation_ = std::move(text);
    place_ = wanted.place;
  }
  v1::ClientMessage message;
  *message.mutable_prepared() = *prepared_;
  return {std::move(message)};
}

Participant::Reaction Participant::on_task(const v1::Task& task) {
  if (!prepared_ || task.run() != run_) return refuse_task("a task of another run", task);
  auto received = wire::ReceivedTask::from(task, place_, prepared_->unknowns());
  if (!received) return refuse_task("a task that makes no sense: " + received.error().message, task);
  if (masked_run_) return on_masked_task(task, *std::move(received));
  if (!options_.expose_rows && (received->participants().size() == 1 || is_one_step(received->task().work))) {
    return refuse_task("one update would show a row; where that is all right, both sides say --expose-rows", task);
  }
  const auto reply = owner_.answer(received->task());
  if (!reply) return refuse_task(reply.error().message, task);
  v1::ClientMessage message;
  *message.mutable_update() = wire::update_message(run_, received->number(), received->task(), *reply);
  return {std::move(message)};
}

bool Participant::has_other_steps(const LocalTask& task) const {
  const auto* steps = std::get_if<ValidSteps>(&task.work);
  if (steps == nullptr) return false;
  if (!task.columns.empty()) return steps->budget != StepBudget{UntilProjected{}};  // a refit
  return plan_.local_steps ? steps->budget != *plan_.local_steps : is_one_step(*steps);
}

Participant::Reaction Participant::on_masked_task(const v1::Task& task, wire::ReceivedTask received) {
  if (has_other_steps(received.task()) || !serves(received.task(), plan_.method, io::resolve(plan_).run)) {
    return refuse_task("its plan has no use for this", task);
  }
  if (auto refused = masked_.admit(task, received, rows_)) {
    return refuse_task(std::move(refused->words), task, refused->answered);
  }
  const auto reply = owner_.answer(received.task());
  if (!reply) return refuse_task(reply.error().message, task);
  const auto words = masked_.answer(task, received, *reply);
  if (!words) return refuse_task(words.error().message, task);
  v1::ClientMessage message;
  *message.mutable_update() = wire::masked_update_message(task, received.task().round, *words);
  return {std::move(message)};
}

}  // namespace fedrk::network
