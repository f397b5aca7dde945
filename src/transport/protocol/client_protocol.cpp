// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/client_protocol.hpp"

#include <cmath>
#include <exception>
#include <utility>

#include "linalg/kernels.hpp"
#include "methods/exposure.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

constexpr const char* kUnfit = "its data do not fit this plan; its own log says why";

// Around a message, at most.
constexpr std::size_t kFrame = 64;
// More places than any federation has; a task with something for this client alone makes room for all before it.
constexpr std::uint32_t kMostPlaces = 1 << 20;

// What all clients are told alike of a run, and of its preparation.
std::string common_bytes(const wire::Welcome& welcome) {
  return bytes_of(welcome.protocol, welcome.run, welcome.plan, welcome.masked);
}
std::string common_bytes(const wire::Prepare& prepare) { return bytes_of(prepare.run, prepare.question); }

}  // namespace

ClientProtocol::ClientProtocol(ClientProtocolOptions options, DataOwner& owner, operation::Log& log)
    : options_(std::move(options)),
      owner_(owner),
      log_(log),
      masked_({options_.name, options_.credentials, options_.book, options_.min_sum, options_.budget}, log) {}

wire::Hello ClientProtocol::hello() const {
  return {.software = options_.software, .name = options_.name, .known_draws = options_.known_draws};
}

// What is wrong with data may quote them: such words are for the own log alone.
ClientProtocol::Reaction ClientProtocol::refuse_for(const std::string& detail, std::string reason) {
  log_.error("data.wrong", {{"reason", detail}});
  return refuse(std::move(reason));
}

ClientProtocol::Reaction ClientProtocol::refuse(std::string reason) {
  log_.error("refused", {{"reason", reason}});
  return {wire::Refusal{.run = run_, .reason = std::move(reason)}};
}

ClientProtocol::Reaction ClientProtocol::refuse_task(std::string reason, const wire::Task& task,
                                                     std::optional<std::uint32_t> answered) {
  log_.error("refused", {{"reason", reason}});
  return {wire::Refusal{run_, std::move(reason), task.number, task.attempt, answered}};
}

// Whatever goes wrong with the work of one message, the server is told, and the client stays for the next.
ClientProtocol::Reaction ClientProtocol::on_message(const wire::ServerMessage& message) try {
  const auto* task = std::get_if<wire::Task>(&message);
  if (unfit_ && task != nullptr) return refuse_task(kUnfit, *task);
  if (unfit_ && !wire::holds<wire::End>(message)) return refuse(kUnfit);
  return std::visit([this](const auto& body) { return answer(body); }, message);
} catch (const std::exception& error) {
  const auto* task = std::get_if<wire::Task>(&message);
  constexpr auto kWords = "it could not do what was asked; its own log says why";
  log_.error("data.wrong", {{"reason", error.what()}});
  return task != nullptr ? refuse_task(kWords, *task) : refuse(kWords);
}

// What the owner of the rows has not agreed to, if anything.
std::string ClientProtocol::unwelcome(const wire::Welcome& welcome) const {
  if (welcome.masked && options_.known_draws) {
    return "its draws derive from the plan's seed, which the server knows: not in a private run; set draws to secret";
  }
  if (plan_.method.privacy.on() && !welcome.masked) return "differential privacy is for masked sums only";
  if (const auto agreed = masked_.agree_to(welcome.run, plan_.method.privacy); !agreed) return agreed.error().message;
  if (welcome.masked && plan_.row_sampling == RowSampling::Greedy) {
    return "greedy steps draw nothing, and would be the same each time: not in a private run";
  }
  if (welcome.masked) return "";
  if (!options_.reveal_updates) {
    return "the server wants to see single updates, from which it could rebuild rows; where that is all right, both "
           "sides say --reveal updates";
  }
  const std::string exposed =
      options_.expose_rows ? "" : exposed_rows(goal_of(plan_.method, plan_.run), io::resolve(plan_).run);
  return exposed.empty() ? "" : exposed + "; where that is all right, both sides say --expose-rows";
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::MaskingGroup& masking_group) {
  if (!ready_ || !masked_run_) return refuse("keys for masks came out of turn");
  if (const auto met = masked_.set_peers(masking_group); !met) return refuse(met.error().message);
  return {};
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::Welcome& welcome) {
  if (welcome.protocol != wire::kProtocol) return refuse("the server speaks another version of the protocol");
  std::string text = common_bytes(welcome);
  if (!ready_ || text != welcome_) {
    run_ = welcome.run;
    welcome_ = std::move(text);
    preparation_.clear();
    ready_.reset();
    prepared_.reset();
    plan_ = {};
    if (const auto taken = wire::take_plan(welcome.plan, plan_); !taken) return refuse(taken.error().message);
    if (std::string reason = unwelcome(welcome); !reason.empty()) return refuse(std::move(reason));
    masked_run_ = welcome.masked;
    if (!masked_run_) log_.warning("reveal.updates", {{"note", kUpdatesRevealed}});
    log_.info("data.reading", {{"run", run_}});
    auto shape = owner_.read(run_, plan_);
    if (!shape) return refuse_for(shape.error().message, kUnfit);
    wire::Ready ready{shape->rows, shape->columns, std::move(shape->names), shape->sparse, shape->open_ended};
    if (masked_run_) {
      auto key = masked_.begin(run_, welcome_, plan_.method.privacy);
      if (!key) return refuse_for(key.error().message, "it cannot make keys for masks; its own log says why");
      ready.mask_key = *std::move(key);
    }
    if (bytes_of(ready).size() + kFrame > options_.largest_message) {
      return refuse("the names of the columns are longer than a message may be; leave them out, or shorten them");
    }
    ready_ = std::move(ready);
  }
  return {*ready_};
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::SumColumns& message) {
  if (!ready_ || message.run != run_) return refuse("sums of another run were asked for");
  const io::SumColumns& question = message.question;
  if (question.columns > options_.max_vector) return refuse("sums of too many columns");
  const bool squared = question.centre.has_value();
  auto made = owner_.sum_columns(question);
  if (!made) return refuse_for(made.error().message, kUnfit);
  if (plan_.method.privacy.on()) return refuse("sums of columns would be without noise, in a run with an epsilon");
  wire::ColumnSums answer{.run = run_, .rows = made->rows, .squared = squared};
  if (!masked_run_) {
    answer.sums = std::move(made->sums);
    return {std::move(answer)};
  }
  auto words = masked_.sum_over_all(squared ? "squares" : "columns", bytes_of(message), made->sums);
  if (!words) return refuse(words.error().message);
  answer.masked = *std::move(words);
  return {std::move(answer)};
}

std::string ClientProtocol::wrong_preparation(const wire::Prepare& prepare) const {
  const auto& scaling = prepare.question.scaling;
  if (prepare.question.columns > options_.max_vector) return "the server wants too many columns";
  if (prepare.place >= kMostPlaces) return "the server counts more clients than there can be";
  if (scaling && (!all_finite(scaling->centre) || !all_finite(scaling->scale))) {
    return "the server's scales are not finite";
  }
  if (scaling.has_value() != (io::resolve(plan_).columns != io::ColumnScaling::AsTheyAre)) {
    return "the plan says otherwise whether columns are scaled";
  }
  return "";
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::Prepare& prepare) {
  if (!ready_ || prepare.run != run_) return refuse("rows of another run were to be prepared");
  std::string text = common_bytes(prepare);
  if (!prepared_ || text != preparation_ || prepare.place != place_.value) {
    prepared_.reset();
    if (std::string wrong = wrong_preparation(prepare); !wrong.empty()) return refuse(std::move(wrong));
    const ClientId place{prepare.place};
    if (masked_run_) {
      if (const auto first = masked_.prepare(place, text); !first) return refuse(first.error().message);
    }
    const auto rows = owner_.prepare(prepare.question, place);
    if (!rows) {
      // That rows do not fit such scales tells something of them: once.
      unfit_ = masked_run_;
      return refuse_for(rows.error().message, kUnfit);
    }
    prepared_ = {run_, rows->summary.rows, rows->unknowns, rows->summary.squared_rhs_norm, rows->summary.squared_norm};
    if (masked_run_) {
      // Norms have no noise: where that is promised they stay here.
      const bool noisy = plan_.method.privacy.on();
      const double norms[] = {noisy ? 0.0 : rows->summary.squared_norm, noisy ? 0.0 : rows->summary.squared_rhs_norm};
      auto words = masked_.norms(norms);
      if (!words) return prepared_.reset(), refuse(words.error().message);
      prepared_->squared_norm = prepared_->squared_rhs_norm = 0.0;
      prepared_->masked_norms = *std::move(words);
    }
    rows_ = *rows;
    preparation_ = std::move(text);
    place_ = place;
  }
  return {*prepared_};
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::Task& task) {
  if (!prepared_ || task.run != run_) return refuse_task("a task of another run", task);
  auto received = wire::ReceivedTask::from(task, place_, prepared_->unknowns);
  if (!received) return refuse_task("a task that makes no sense: " + received.error().message, task);
  if (masked_run_) return answer_masked(task, *std::move(received));
  if (!options_.expose_rows && (received->participants().size() == 1 || is_one_step(received->task().work))) {
    return refuse_task("one update would show a row; where that is all right, both sides say --expose-rows", task);
  }
  auto reply = owner_.answer(received->task());
  if (!reply) return refuse_task(reply.error().message, task);
  return {wire::update_message(run_, received->number(), received->task(), *std::move(reply))};
}

bool ClientProtocol::has_other_steps(const LocalTask& task) const {
  const auto* steps = std::get_if<CutSteps>(&task.work);
  if (steps == nullptr) return false;
  if (!task.columns.empty()) return steps->budget != StepBudget{ExactProjection{}};  // a refit
  return plan_.local_steps ? steps->budget != *plan_.local_steps : is_one_step(*steps);
}

ClientProtocol::Reaction ClientProtocol::answer_masked(const wire::Task& task, wire::ReceivedTask received) {
  if (has_other_steps(received.task()) || !serves(received.task(), plan_.method, io::resolve(plan_).run)) {
    return refuse_task("its plan has no use for this", task);
  }
  if (auto refused = masked_.admit(task, received, rows_)) {
    return refuse_task(std::move(refused->reason), task, refused->answered);
  }
  const auto reply = owner_.answer(received.task());
  if (!reply) return refuse_task(reply.error().message, task);
  auto words = masked_.answer(task, received, *reply);
  if (!words) return refuse_task(words.error().message, task);
  return {wire::masked_update_message(task, received.task().round, *std::move(words))};
}

}  // namespace fedrk::network
