// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/client_protocol.hpp"

#include <exception>
#include <utility>

#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

// Around a message, at most.
constexpr std::size_t kFrame = 64;

// What all clients are told alike of a run.
std::string common_bytes(const wire::Welcome& welcome) {
  return bytes_of(welcome.protocol, welcome.run, welcome.plan, welcome.masked);
}

// What was given, or one of its own.
template <class Store, class Make>
Store& given_or(Store* given, std::unique_ptr<Store>& own, Make make) {
  if (given != nullptr) return *given;
  own = make();
  return *own;
}

}  // namespace

ClientProtocol::ClientProtocol(ClientProtocolOptions options, DataOwner& owner, operation::Log& log)
    : options_(std::move(options)),
      log_(log),
      rows_(owner, log),
      consent_(options_.consent, rows_, owner, given_or(options_.guard, own_guard_, store::replay_guard_in_memory),
               given_or(options_.ledger, own_ledger_, store::disclosures_in_memory), log),
      site_({options_.name, options_.credentials}, consent_, options_.guard != nullptr ? *options_.guard : *own_guard_,
            log) {}

wire::Hello ClientProtocol::hello() const {
  return {.software = options_.software, .name = options_.name, .known_draws = options_.consent.known_draws};
}

// What is wrong with data may quote them: such words are for the own log alone.
ClientProtocol::Reaction ClientProtocol::refuse(const Refused& refused, const wire::Task* task) {
  if (!refused.detail.empty()) log_.error("data.wrong", {{"reason", refused.detail}});
  log_.error("refused", {{"reason", refused.reason}});
  wire::Refusal refusal{.run = terms_.run, .reason = refused.reason};
  if (task != nullptr) refusal.number = task->number;
  return {std::move(refusal)};
}

template <class Body>
ClientProtocol::Reaction ClientProtocol::pass_on(Answered<Body> answered, const wire::Task* task) {
  if (const auto* refused = std::get_if<Refused>(&answered)) return refuse(*refused, task);
  return {std::get<Body>(std::move(answered))};
}

// Whatever goes wrong with the work of one message, the server is told, and the client stays for the next.
ClientProtocol::Reaction ClientProtocol::on_message(const wire::ServerMessage& message) try {
  if (consent_.is_unfit() && !wire::holds<wire::End>(message))
    return refuse({kUnfit}, std::get_if<wire::Task>(&message));
  return std::visit([this](const auto& body) { return answer(body); }, message);
} catch (const std::exception& error) {
  return refuse({"it could not do what was asked; its own log says why", error.what()},
                std::get_if<wire::Task>(&message));
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::Welcome& welcome) {
  if (welcome.protocol != wire::kProtocol) return refuse({"the server speaks another version of the protocol"});
  if (welcome.run.empty()) return refuse({"the run has no id"});  // what outlives runs is kept under none
  std::string text = common_bytes(welcome);
  if (!ready_ || text != terms_.text) {
    ready_.reset();  // so that nothing is passed on before the sites have taken the new terms
    prepared_.reset();
    terms_ = {.run = welcome.run, .text = std::move(text), .masked = welcome.masked};
    if (const auto taken = wire::take_plan(welcome.plan, terms_.plan); !taken) return refuse({taken.error().message});
    terms_.decided = io::resolve(terms_.plan);
    auto answered = site_.answer(terms_);
    if (const auto* refused = std::get_if<Refused>(&answered)) return refuse(*refused);
    auto& ready = std::get<wire::Ready>(answered);
    if (bytes_of(ready).size() + kFrame > options_.largest_message) {
      return refuse({"the names of the columns are longer than a message may be; leave them out, or shorten them"});
    }
    ready_ = std::move(ready);
  }
  return {*ready_};
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::MaskingGroup& masking_group) {
  if (!ready_) return refuse({"keys for masks came out of turn"});
  if (const auto refused = site_.meet(masking_group)) return refuse(*refused);
  return {};
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::SumColumns& message) {
  if (!ready_ || message.run != terms_.run) return refuse({"sums of another run were asked for"});
  return pass_on(site_.answer(message));
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::Prepare& prepare) {
  if (!ready_ || prepare.run != terms_.run) return refuse({"rows of another run were to be prepared"});
  std::string text = bytes_of(prepare.question, prepare.parts);
  if (!prepared_ || text != preparation_ || prepare.place != place_.value) {
    prepared_.reset();
    auto answered = site_.answer(prepare);
    if (const auto* refused = std::get_if<Refused>(&answered)) return refuse(*refused);
    prepared_ = std::get<wire::Prepared>(std::move(answered));
    preparation_ = std::move(text);
    place_ = ClientId{prepare.place};
  }
  return {*prepared_};
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::Task& task) {
  if (!prepared_ || task.run != terms_.run) return refuse({"a task of another run"}, &task);
  auto received = wire::ReceivedTask::from(task, place_, prepared_->unknowns);
  if (!received) return refuse({"a task that makes no sense: " + received.error().message}, &task);
  return pass_on(site_.answer(task, *std::move(received)), &task);
}

ClientProtocol::Reaction ClientProtocol::answer(const wire::End& end) {
  consent_.end();
  return {std::nullopt, end};
}

}  // namespace fedrk::network
