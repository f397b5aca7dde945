// SPDX-License-Identifier: Apache-2.0
#include "pki/moment.hpp"

#include <ctime>

#include <fmt/chrono.h>

namespace fedrk::security {

Moment now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

std::string moment_text(Moment moment) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(moment)));
}

std::string iso_text(Moment moment) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(moment)));
}

std::optional<Moment> parse_iso(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return Moment(std::chrono::seconds(::timegm(&parts)));
}

long days_between(Moment from, Moment until) { return std::chrono::floor<std::chrono::days>(until - from).count(); }

Validity valid_for_days(Moment now, int days) { return {now - std::chrono::minutes(5), now + std::chrono::days(days)}; }

}  // namespace fedrk::security
