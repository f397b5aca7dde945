// SPDX-License-Identifier: Apache-2.0
#include "fedrk/security/moment.hpp"

#include <fmt/chrono.h>

namespace fedrk::security {

Moment now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

std::string moment_text(Moment moment) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(moment)));
}

long days_between(Moment from, Moment until) { return std::chrono::floor<std::chrono::days>(until - from).count(); }

Validity valid_for_days(Moment now, int days) { return {now - std::chrono::minutes(5), now + std::chrono::days(days)}; }

}  // namespace fedrk::security
