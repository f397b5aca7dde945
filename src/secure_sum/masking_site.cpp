// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/masked_client.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "methods/zcdp.hpp"
#include "secure_sum/mask_key.hpp"
#include "secure_sum/reply_part.hpp"
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {
namespace {

constexpr std::size_t kMinSum = 3;         // in a sum of two, each could compute the other's part
constexpr std::size_t kMostAttempts = 32;  // of one question, and one more for each client that may be lost
constexpr std::size_t kMostRuns = 1000;    // of one process
constexpr double kMostOfPlan = 2.0;        // times its rho that a run may spend, as attempts that fail are paid for too

std::vector<ClientId> everyone(std::size_t count) {
  std::vector<ClientId> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(ClientId{i});
  return all;
}

// The bytes of numbers where they lie.
template <class Numbers>
std::string_view bytes_in(const Numbers& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]};  // NOLINT: their bits
}

// The name of what is sent, to know it again.
masking::Key digest(const masking::Words& words) { return masking::digest({bytes_in(words)}); }

// A task without its vectors of numbers.
std::string without_numbers(const wire::Task& task) {
  return bytes_of(task.run, task.number, task.attempt, task.exponent, task.question);
}

// All that the server said of a task, to the letter.
store::ReplayGuard::Question asked_in(const wire::Task& message) {
  return {"task", message.number, message.attempt,
          masking::digest({"asked", without_numbers(message), bytes_in(message.x), bytes_in(message.own)})};
}

}  // namespace

MaskedClient::MaskedClient(MaskedClientOptions options, operation::Log& log)
    : options_(std::move(options)),
      log_(log),
      own_book_(options_.book == nullptr ? store::replay_guard_in_memory() : nullptr),
      book_(own_book_ ? *own_book_ : *options_.book) {}

Result<wire::MaskKey> MaskedClient::begin(const std::string& run, std::string_view plan,
                                          const privacy::PrivacyOptions& privacy) {
  const auto secret = book_.secret(run, masking::random_key());
  if (!secret) return secret.error();
  masker_.reset();
  if (steps_.size() >= kMostRuns && !steps_.contains(run)) return Error{"it has seen too many runs: start it again"};
  run_ = run;
  privacy_ = privacy;
  plan_ = masking::digest({"plan", plan});
  const auto same = book_.pin(run, "plan", plan_);
  if (!same) return same.error();
  if (!*same) return Error{"this run had another plan before"};
  masker_ = std::make_unique<masking::Masker>(*secret, run);
  return mask_key_message(run, options_.name, masker_->public_key(), options_.credentials);
}

Result<void> MaskedClient::set_peers(const wire::MaskingGroup& masking_group) {
  if (!masker_ || masking_group.run != run_) return Error{"a company of another run"};
  const std::size_t size = masking_group.members.size();
  if (size < std::max(kMinSum, options_.min_sum)) {
    return Error{fmt::format("a run of {} clients, where each sum is to be over {} at least", size,
                             std::max(kMinSum, options_.min_sum))};
  }
  if (masking_group.place >= size || masking_group.members[masking_group.place].name != options_.name) {
    return Error{"the server gives this client another place than its own"};
  }
  std::vector<masking::Key> keys;
  std::set<std::string> names;
  std::string list;
  const security::Moment now = security::now();
  for (const auto& [name, shown] : masking_group.members) {
    const auto key = mask_key_from(shown, run_, name, options_.credentials, now);
    if (!key) return key.error();
    if (!names.insert(name).second) return Error{"the server names a client twice"};
    keys.push_back(*key);
    list += (list.empty() ? "" : ", ") + sanitized(name);
  }
  masking_group_ = masking::digest({"company", bytes_of(masking_group.run, masking_group.members)});
  const auto same = book_.pin(run_, "company", masking_group_);
  if (!same) return same.error();
  if (!*same) return Error{"this run had another company before"};
  if (const auto met = masker_->set_peers(ClientId{masking_group.place}, keys); !met) return met.error();
  log_.info("masks.ready", {{"run", run_}, {"clients", list}});
  return {};
}

Result<masking::Words> MaskedClient::sum_over_all(const std::string& kind, std::string_view about,
                                                  std::span<const double> numbers) {
  if (!has_peers()) return Error{"the other clients of the run are not known yet"};
  const masking::Key question =
      masking::digest({kind, masking::text_of(plan_), masking::text_of(masking_group_), about});
  const auto all = everyone(masker_->masking_group());
  const masking::PartLayout layout{0, numbers.size()};
  const auto part = masking::part_of({}, numbers, masking::Grid{0}, all.size());
  masking::Words words = part ? *part : masker_->misfit(question, layout);
  masker_->mask(question, all, layout, words);
  const auto admission = book_.record(run_, {kind, 0, 0, question}, digest(words));
  if (!admission) return admission.error();
  if (admission->granted) return words;
  return Error{admission->repeated ? "its data are not what they were when it answered this first"
                                   : "the server asks once more for sums, and for others than before"};
}

Result<void> MaskedClient::prepare(ClientId place, std::string preparation) {
  if (!has_peers()) return Error{"the other clients of the run are not known yet"};
  if (place != masker_->self()) return Error{"the server gives this client two different places"};
  preparation_text_ = std::move(preparation);
  preparation_ = masking::digest({"preparation", preparation_text_});
  const auto same = book_.pin(run_, "preparation", preparation_);
  if (!same) return same.error();
  if (!*same) return Error{"this run had its rows prepared in another way before"};
  return {};
}

Result<masking::Words> MaskedClient::norms(std::span<const double> numbers) {
  return sum_over_all("norms", preparation_text_, numbers);
}

// Everything that the participants were told, which is the same for all of them.
masking::Key MaskedClient::common_name(const wire::Task& message) const {
  return masking::digest({"task", masking::text_of(plan_), masking::text_of(masking_group_),
                          masking::text_of(preparation_), without_numbers(message), bytes_in(message.x)});
}

std::string MaskedClient::wrong_masking_group(const wire::ReceivedTask& task) const {
  const auto participants = task.participants();
  const std::size_t all = masker_->masking_group();
  const std::size_t min_size = options_.min_sum == 0 ? all : std::max(kMinSum, options_.min_sum);
  if (participants.back().value >= all) return "it names participants that are not there";
  if (participants.size() < min_size) {
    return fmt::format("a sum over {} clients would show too much of each: {} at least take part", participants.size(),
                       min_size);
  }
  return "";
}

// A group that answers what is the same function of x each time neither grows nor shrinks: the difference of two sums
// would be the part of one client. Looks at the residual are of all clients also where sums are of groups.
std::string MaskedClient::other_group(const wire::ReceivedTask& task) {
  const LocalWork& work = task.task().work;
  if (masking::may_be_of_some(work)) return "";
  std::string members;
  for (const ClientId client : task.participants()) members += std::to_string(client.value) + ' ';
  const auto same = book_.pin(run_, masking::is_look(work) ? "look" : "group", masking::digest({members}));
  if (!same) return same.error().message;
  if (*same) return "";
  return "it asks another group than before for what is the same function of x each time: the difference of the two "
         "sums would tell the parts of those who are in one only";
}

Result<void> MaskedClient::agree_to(const std::string& run, const privacy::PrivacyOptions& plan) const {
  const PrivacyBudget& own = options_.budget;
  if (!plan.on() && !own.bounded()) return {};
  if (!plan.on()) {
    return Error{"its rows are for runs with differential privacy only, as their owner has set an epsilon for them"};
  }
  if (!own.bounded()) {
    return Error{
        "the plan spends differential privacy; say how much these rows may ever give away: --epsilon, --delta"};
  }
  const auto spent = own.ledger->spent_elsewhere(run);  // what this run has spent is part of what it wants
  if (!spent) return spent.error();
  const double wanted = privacy::rho_of(plan.epsilon, plan.delta);
  if (*spent + wanted <= own.rho() * (1.0 + 1e-9)) return {};
  log_.error("privacy.spent",
             {{"wanted", wanted}, {"allowed", own.rho()}, {"left", std::max(0.0, own.rho() - *spent)}});
  return Error{"the plan would tell more of its rows than their owner allows; its own log says how much is left"};
}

// What an answer tells is on the ledger before the answer leaves. Each attempt is an answer of its own: a server may
// say that it got none.
std::string MaskedClient::over_budget(const wire::Task& message, const wire::ReceivedTask& task,
                                      const io::PreparedRows& rows, bool repeated) const {
  const auto* pass = std::get_if<ClippedPass>(&task.task().work);
  const PrivacyBudget& own = options_.budget;
  if (pass == nullptr)
    return own.bounded() ? "it asks for an answer without noise, which its owner does not allow" : "";
  if (!own.bounded()) return "it spends differential privacy of which this client has none to spend";
  const double rho = privacy::rho_of_pass(*pass, rows.summary.rows, rows.unknowns, task.participants().size());
  constexpr std::uint64_t kAttempts = std::uint64_t{1} << 20;
  if (message.attempt >= kAttempts || message.number >= kAttempts << 20) return "it counts further than it can";
  const auto elsewhere = own.ledger->spent_elsewhere(run_);
  if (!elsewhere) return elsewhere.error().message;
  const double of_plan = kMostOfPlan * privacy::rho_of(privacy_.epsilon, privacy_.delta);
  const auto charged = own.ledger->spend({run_, message.number * kAttempts + message.attempt, rho},
                                         std::min(own.rho(), *elsewhere + of_plan));
  if (!charged) {
    log_.error("privacy.spent", {{"reason", charged.error().message}});  // it speaks of other runs
    return "its owner allows no further answer: what its rows may give away is spent";
  }
  return *charged || repeated ? "" : "this answer was paid for, but not to these words";
}

// A server that chose the number of steps for each question could have rows by one step, and fixed functions of x by
// very many. It follows from the plan and the shapes of all data, so it is the same as long as the run goes.
std::string MaskedClient::wrong_steps(const LocalTask& task) {
  const auto* steps = std::get_if<CutSteps>(&task.work);
  auto& before = steps_[run_];
  if (steps == nullptr || !task.columns.empty() || before == steps->budget) return "";
  const auto* fixed = std::get_if<FixedSteps>(&steps->budget);
  const auto same = book_.pin(run_, "steps", masking::digest({fixed ? std::to_string(fixed->count) : "inf"}));
  if (!same) return same.error().message;
  if (!*same) return "it had another number of local steps before";
  before = steps->budget;
  return "";
}

std::optional<MaskedClient::Refused> MaskedClient::admit(const wire::Task& message, wire::ReceivedTask& task,
                                                         const io::PreparedRows& rows) {
  if (!has_peers()) return Refused{"the other clients of the run are not known yet"};
  if (task.task().reveal != Reveal::Sums) return Refused{"it asks for a single update in a run of masked sums"};
  const auto grid = wire::grid_of(message);
  if (!grid) return Refused{grid.error().message};
  const auto* pass = std::get_if<ClippedPass>(&task.task().work);
  if (pass != nullptr && grid->exponent.value_or(pass->exponent) != pass->exponent) {
    return Refused{"its noise is on another grid than its sum"};  // and would be rounded away client by client
  }
  if (std::string wrong = wrong_masking_group(task); !wrong.empty()) return Refused{std::move(wrong)};
  if (!message.own.empty()) return Refused{"it holds numbers that not all participants see"};
  if (std::string wrong = wrong_steps(task.task()); !wrong.empty()) return Refused{std::move(wrong)};
  if (message.attempt >= kMostAttempts + masker_->masking_group()) {
    return Refused{"it was asked too often: many answers at one x tell the parts of a sum"};
  }
  const store::ReplayGuard::Question asked = asked_in(message);
  const auto admission = book_.look(run_, asked);
  if (!admission) return Refused{admission.error().message};
  if (!admission->granted) {
    const bool same_task = admission->last_number == message.number;
    return Refused{"it has answered this question already, or a later one",
                   same_task ? std::optional(admission->last_attempt) : std::nullopt};
  }
  if (std::string other = other_group(task); !other.empty()) return Refused{std::move(other)};
  if (std::string over = over_budget(message, task, rows, admission->repeated); !over.empty()) {
    return Refused{std::move(over)};
  }
  task.draw_from(masker_->draws("steps", asked.question), options_.min_sum != 0);
  if (std::holds_alternative<ClippedPass>(task.task().work)) {
    task.make_noise_of(masker_->gaussians("noise", asked.question, rows.unknowns));
  }
  return std::nullopt;
}

Result<masking::Words> MaskedClient::answer(const wire::Task& message, const wire::ReceivedTask& task,
                                            const LocalReply& reply) {
  const masking::Grid grid = *wire::grid_of(message);
  const masking::Key question = common_name(message);
  const masking::PartLayout layout = masking::layout_of(task.task(), reply.values.size(), grid);
  const auto part = masking::part_of(task.task(), reply, grid, task.participants().size());
  masking::Words words = part ? *part : masker_->misfit(question, layout);
  masker_->mask(question, task.participants(), layout, words);
  const auto admission = book_.record(run_, asked_in(message), digest(words));
  if (!admission) return admission.error();
  if (!admission->granted) return Error{"its answer is not what it was when it answered this first"};
  return words;
}

}  // namespace fedrk::network
