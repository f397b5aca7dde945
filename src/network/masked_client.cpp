// SPDX-License-Identifier: Apache-2.0
#include "network/masked_client.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fedrk/masking/reply_part.hpp"
#include "fedrk/privacy/zcdp.hpp"
#include "network/mask_key.hpp"
#include "network/words.hpp"

namespace fedrk::network {
namespace {

constexpr std::size_t kLeast = 3;  // in a sum of two, each could compute the other's part

std::vector<ClientId> everyone(std::size_t count) {
  std::vector<ClientId> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(ClientId{i});
  return all;
}

// All that every participant is told, as a name for the masks. What is for one client alone is not in it.
masking::Key common_name(const v1::Task& message) {
  v1::Task common = message;
  common.clear_own();
  const std::string text = common.SerializeAsString();
  return masking::name_of({"task", text});
}

}  // namespace

MaskedClient::MaskedClient(MaskedClientOptions options, operation::Log& log)
    : options_(std::move(options)),
      log_(log),
      own_book_(options_.book == nullptr ? store::mask_book_in_memory() : nullptr),
      book_(own_book_ ? *own_book_ : *options_.book) {}

Result<v1::MaskKey> MaskedClient::begin(const std::string& run) {
  const auto secret = book_.secret(run, masking::random_key());
  if (!secret) return secret.error();
  run_ = run;
  masker_ = std::make_unique<masking::Masker>(*secret, run);
  return mask_key_message(run, options_.name, masker_->public_key(), options_.credentials);
}

Result<void> MaskedClient::meet(const v1::Company& company) {
  if (!masker_ || company.run() != run_) return Error{"a company of another run"};
  const auto size = static_cast<std::size_t>(company.members_size());
  if (size < std::max(kLeast, options_.min_sum)) {
    return Error{fmt::format("a run of {} clients, where each sum is to be over {} at least", size,
                             std::max(kLeast, options_.min_sum))};
  }
  if (company.place() >= size || company.members(static_cast<int>(company.place())).name() != options_.name) {
    return Error{"the server gives this client another place than its own"};
  }
  std::vector<masking::Key> keys;
  std::set<std::string> names;
  std::string list;
  const security::Moment now = security::now();
  for (const auto& member : company.members()) {
    const auto key = mask_key_from(member.key(), run_, member.name(), options_.credentials, now);
    if (!key) return key.error();
    if (!names.insert(member.name()).second) return Error{"the server names a client twice"};
    keys.push_back(*key);
    list += (list.empty() ? "" : ", ") + tamed(member.name());
  }
  if (const auto met = masker_->meet(ClientId{company.place()}, keys); !met) return met.error();
  log_.info("masks.ready", {{"run", run_}, {"clients", list}});
  return {};
}

Result<store::MaskBook::Verdict> MaskedClient::claim(const std::string& kind, std::uint64_t number,
                                                     std::uint32_t attempt, const masking::Key& question) {
  return book_.claim(run_, {kind, number, attempt, question});
}

Result<masking::Words> MaskedClient::sum_over_all(const std::string& kind, std::string_view about,
                                                  std::span<const double> numbers) {
  if (!has_met()) return Error{"the other clients of the run are not known yet"};
  const masking::Key question = masking::name_of({kind, about});
  const auto verdict = claim(kind, 0, 0, question);
  if (!verdict) return verdict.error();
  if (!verdict->granted) return Error{"the server asks once more for sums, and for others than before"};
  const auto all = everyone(masker_->company());
  const masking::PartLayout layout{0, numbers.size()};
  masking::Words words = masking::part_of({}, numbers, masking::Grid{0}, all.size());
  masker_->mask(question, all, layout, words);
  return words;
}

std::string MaskedClient::wrong_company(const wire::ReceivedTask& task) const {
  const auto participants = task.participants();
  const std::size_t all = masker_->company();
  const std::size_t least = options_.min_sum == 0 ? all : std::max(kLeast, options_.min_sum);
  if (participants.back().value >= all) return "it names participants that are not there";
  if (participants.size() < least) {
    return fmt::format("a sum over {} clients would show too much of each: {} at least take part", participants.size(),
                       least);
  }
  if (!masking::may_be_of_some(task.task().work) && participants.size() != all) {
    return "it asks some clients only for what is the same function of x each time: sums over different clients would "
           "tell the parts in which they differ";
  }
  return "";
}

Result<void> MaskedClient::agree_to(const privacy::PrivacyOptions& plan) const {
  const PrivacyBudget& own = options_.budget;
  if (!plan.on() && !own.bounded()) return {};
  if (!plan.on()) {
    return Error{"its rows are for runs with differential privacy only, as their owner has set an epsilon for them"};
  }
  if (!own.bounded()) {
    return Error{
        "the plan spends differential privacy; say how much these rows may ever give away: --epsilon, --delta"};
  }
  const auto spent = own.ledger->spent();
  if (!spent) return spent.error();
  const double wanted = privacy::rho_of(plan.epsilon, plan.delta);
  if (*spent + wanted <= own.rho() * (1.0 + 1e-9)) return {};
  return Error{
      fmt::format("the plan would tell more of its rows than their owner allows: it spends rho = {:.4g}, and of "
                  "{:.4g} there is {:.4g} left",
                  wanted, own.rho(), std::max(0.0, own.rho() - *spent))};
}

// What an answer tells is on the ledger before the answer leaves. Each attempt is an answer of its own: a server may
// say that it got none.
std::string MaskedClient::over_budget(const v1::Task& message, const wire::ReceivedTask& task, const PreparedRows& rows,
                                      bool repeated) const {
  const auto* pass = std::get_if<ClippedPass>(&task.task().work);
  const PrivacyBudget& own = options_.budget;
  if (pass == nullptr)
    return own.bounded() ? "it asks for an answer without noise, which its owner does not allow" : "";
  if (!own.bounded()) return "it spends differential privacy of which this client has none to spend";
  const double rho = privacy::rho_of_pass(*pass, rows.summary.rows, rows.unknowns, task.participants().size());
  constexpr std::uint64_t kAttempts = std::uint64_t{1} << 20;
  if (message.attempt() >= kAttempts || message.number() >= kAttempts << 20) return "it counts further than it can";
  const auto charged = own.ledger->spend({run_, message.number() * kAttempts + message.attempt(), rho}, own.rho());
  if (!charged) return charged.error().message;
  return *charged || repeated ? "" : "this answer was paid for, but not to these words";
}

std::optional<MaskedClient::Refused> MaskedClient::admit(const v1::Task& message, wire::ReceivedTask& task,
                                                         const PreparedRows& rows) {
  if (!has_met()) return Refused{"the other clients of the run are not known yet"};
  if (task.task().reveal != Reveal::Sums) return Refused{"it asks for a single update in a run of masked sums"};
  if (const auto attempt = wire::attempt_of(message); !attempt) return Refused{attempt.error().message};
  if (std::string wrong = wrong_company(task); !wrong.empty()) return Refused{std::move(wrong)};
  const std::string text = message.SerializeAsString();
  const masking::Key question = masking::name_of({"asked", text});
  const auto verdict = claim("task", message.number(), message.attempt(), question);
  if (!verdict) return Refused{verdict.error().message};
  if (!verdict->granted) {
    const bool same_task = verdict->last_number == message.number();
    return Refused{"it has answered this question already, or a later one",
                   same_task ? std::optional(verdict->last_attempt) : std::nullopt};
  }
  if (std::string over = over_budget(message, task, rows, verdict->repeated); !over.empty()) {
    return Refused{std::move(over)};
  }
  task.draw_from(masker_->draws("steps", question));
  if (std::holds_alternative<ClippedPass>(task.task().work)) {
    task.make_noise_of(masker_->gaussians("noise", question, rows.unknowns));
  }
  return std::nullopt;
}

masking::Words MaskedClient::part_of(const v1::Task& message, const wire::ReceivedTask& task,
                                     const LocalReply& reply) const {
  const masking::Grid grid = wire::attempt_of(message)->grid;
  const std::size_t parties = task.participants().size();
  masking::Words words = masking::part_of(task.task(), reply, grid, parties);
  const masking::PartLayout layout = masking::layout_of(task.task(), reply.values.size(), grid);
  masker_->mask(common_name(message), task.participants(), layout, words);
  return words;
}

}  // namespace fedrk::network
