// SPDX-License-Identifier: Apache-2.0
#include "before_joining.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fedrk/methods/exposure.hpp"

namespace fedrk::app {

security::CredentialFiles credential_files(const network::TlsFiles& tls) { return {tls.certificate, tls.key, tls.ca}; }

Result<void> look_at_own_files(const network::TlsFiles& tls, security::Role role, const std::string& name,
                               operation::Log& log) {
  using Level = security::Remark::Level;
  for (const security::Remark& remark : security::look_at_own(credential_files(tls), role, security::now(), name)) {
    if (remark.level == Level::Bad) {
      return Error{fmt::format("{}: {}; {}", remark.about, remark.words, remark.advice)};
    }
    if (remark.level == Level::Warning) {
      log.warning("own." + remark.about, {{"note", remark.words}, {"advice", remark.advice}});
    }
  }
  return {};
}

bool is_masked(const network::ServerSettings& settings, const io::Plan& plan) {
  return !settings.unmasked && reveal_of(goal_of(plan.method, plan.run)) == Reveal::Sums;
}

Result<void> check_privacy(const network::ServerSettings& settings, const io::Plan& plan) {
  if (is_masked(settings, plan)) {
    const std::size_t all = settings.clients.size();
    const std::size_t each = plan.run.participants == 0 ? all : std::min(all, plan.run.participants);
    if (plan.row_sampling == RowSampling::Greedy) {
      return Error{"greedy steps draw nothing, and would be the same each time: not with masked sums"};
    }
    if (each >= settings.min_sum) return {};
    return Error{
        fmt::format("{} clients a round are too few for masked sums, which are over {} at least, as with fewer "
                    "each could compute the parts of the others; reveal = \"updates\" in the plan does without",
                    each, settings.min_sum)};
  }
  if (plan.method.privacy.on()) return Error{"differential privacy is for masked sums only: leave --unmasked out"};
  const bool typed = settings.unmasked || plan.method.reveal == Reveal::Updates;
  if (!typed) {
    return Error{
        fmt::format("this plan needs single updates ({}); to allow that, write reveal = \"updates\" into the plan and "
                    "into every client.toml",
                    kUpdatesRevealed)};
  }
  const std::string exposed =
      settings.expose_rows ? "" : exposed_rows(goal_of(plan.method, plan.run), io::resolve(plan).run);
  if (exposed.empty()) return {};
  return Error{exposed + "; where that is all right, say --expose-rows here and at every client"};
}

}  // namespace fedrk::app
