// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/masking_site.hpp"

#include <set>
#include <utility>
#include <vector>

#include "secure_sum/mask_key.hpp"
#include "secure_sum/reply_part.hpp"
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {

using masking::text_of;

std::optional<Refused> MaskingSite::pin(const std::string& kind, const masking::Digest& value, const char* otherwise) {
  const auto same = guard_.pin(terms_->run, kind, value);
  if (!same) return Refused{same.error().message};
  return *same ? std::nullopt : std::optional(Refused{otherwise});
}

Answered<wire::Ready> MaskingSite::answer(const RunTerms& terms) {
  terms_ = &terms;
  masker_.reset();
  auto answer = inner_.answer(terms);
  auto* ready = std::get_if<wire::Ready>(&answer);
  if (!terms.masked || ready == nullptr) return answer;
  constexpr const char* kNoKeys = "it cannot make keys for masks; its own log says why";
  const auto secret = guard_.secret(terms.run, masking::random_key());
  if (!secret) return Refused{kNoKeys, secret.error().message};
  plan_ = masking::digest({"plan", terms.text});
  if (auto refused = pin("plan", plan_, "this run had another plan before")) return Refused{kNoKeys, refused->reason};
  masker_ = std::make_unique<masking::Masker>(*secret, terms.run);
  auto key = mask_key_message(terms.run, options_.name, masker_->public_key(), options_.credentials);
  if (!key) return Refused{kNoKeys, key.error().message};
  ready->mask_key = *std::move(key);
  return answer;
}

std::optional<Refused> MaskingSite::meet(const wire::MaskingGroup& group) {
  if (group.place >= group.members.size() || group.members[group.place].name != options_.name) {
    return Refused{"the server gives this client another place than its own"};
  }
  std::vector<masking::Key> keys;
  std::set<std::string> names;
  std::string members;  // without signatures and certificates: a client that is started again or renewed has others
  std::string list;
  const security::Moment now = security::now();
  for (const auto& [name, shown] : group.members) {
    const auto key = mask_key_from(shown, terms_->run, name, options_.credentials, now);
    if (!key) return Refused{key.error().message};
    if (!names.insert(name).second) return Refused{"the server names a client twice"};
    keys.push_back(*key);
    members += bytes_of(name, shown.key);
    list += (list.empty() ? "" : ", ") + sanitized(name);
  }
  group_ = masking::digest({"group", group.run, members});
  if (auto refused = pin("masking group", group_, "this run began with another group of clients")) return refused;
  if (const auto met = masker_->set_peers(ClientId{group.place}, keys); !met) return Refused{met.error().message};
  log_.info("masks.ready", {{"run", terms_->run}, {"clients", list}});
  return inner_.meet(group);
}

// Numbers for a sum over all clients, before the rounds. `about` is all that the server said.
masking::Words MaskingSite::masked(const std::string& kind, std::string_view about,
                                   std::span<const double> numbers) const {
  const masking::Digest question = masking::digest({kind, text_of(plan_), text_of(group_), about});
  std::vector<ClientId> all;
  for (std::uint32_t i = 0; i < masker_->masking_group(); ++i) all.push_back(ClientId{i});
  const masking::PartLayout layout{0, numbers.size()};
  const auto part = masking::part_of({}, numbers, masking::Grid{0}, all.size());
  masking::Words words = part ? *part : masker_->misfit(question, layout);
  masker_->mask(question, all, layout, words);
  return words;
}

Answered<wire::ColumnSums> MaskingSite::answer(const wire::SumColumns& question) {
  auto answer = inner_.answer(question);
  auto* sums = std::get_if<wire::ColumnSums>(&answer);
  if (terms_->masked && sums != nullptr) {
    sums->masked = masked(sums->squared ? "squares" : "columns", bytes_of(question), sums->sums);
    sums->sums.clear();
  }
  return answer;
}

// The preparation is pinned before anybody looks at the rows for it: what becomes of them tells something, and a server
// could else ask as often as it likes.
Answered<wire::Prepared> MaskingSite::answer(const wire::Prepare& question) {
  if (!terms_->masked) return inner_.answer(question);
  if (ClientId{question.place} != masker_->self()) {
    return Refused{"the server gives this client two different places"};
  }
  const std::string text = common_bytes(question);
  preparation_ = masking::digest({"preparation", text});
  if (auto refused = pin("preparation", preparation_, "this run had its rows prepared in another way before")) {
    return *std::move(refused);
  }
  auto answer = inner_.answer(question);
  if (auto* prepared = std::get_if<wire::Prepared>(&answer)) {
    unknowns_ = prepared->unknowns;
    // Norms have no noise: where that is promised they stay here.
    const bool noisy = terms_->plan.method.privacy.on();
    const double norms[] = {noisy ? 0.0 : prepared->squared_norm, noisy ? 0.0 : prepared->squared_rhs_norm};
    prepared->squared_norm = prepared->squared_rhs_norm = 0.0;
    prepared->masked_norms = masked("norms", text, norms);
  }
  return answer;
}

Answered<wire::Update> MaskingSite::answer(AskedTask& asked) {
  if (!terms_->masked) return inner_.answer(asked);
  const auto grid = wire::grid_of(asked.message);
  if (!grid) return Refused{grid.error().message};
  asked.task.draw_from(masker_->draws("steps", asked.digest), options_.varied);
  if (std::holds_alternative<ClippedPass>(asked.task.task().work))
    asked.task.make_noise_of(masker_->gaussians("noise", asked.digest, unknowns_));
  auto answer = inner_.answer(asked);
  auto* update = std::get_if<wire::Update>(&answer);
  if (update == nullptr) return answer;

  const LocalTask& task = asked.task.task();
  const LocalReply reply = wire::reply_from(std::move(*update), masker_->self(), task);
  const masking::Digest question =
      masking::digest({"task", text_of(plan_), text_of(group_), text_of(preparation_), text_of(asked.digest)});
  const masking::PartLayout layout = masking::layout_of(task, reply.values.size(), *grid);
  const auto part = masking::part_of(task, reply, *grid, asked.task.participants().size());
  masking::Words words = part ? *part : masker_->misfit(question, layout);
  masker_->mask(question, asked.task.participants(), layout, words);
  return wire::masked_update_message(asked.message, task.round, std::move(words));
}

}  // namespace fedrk::network
