// SPDX-License-Identifier: Apache-2.0
#include "pki/revocation_list.hpp"

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "pki/certificate.hpp"

namespace fedrk::security {

Result<RevocationList> RevocationList::open(std::filesystem::path crl, std::string ca) {
  RevocationList list(std::move(crl), std::move(ca));
  if (const auto done = list.read(); !done) return done.error();
  return list;
}

Result<void> RevocationList::read() {
  std::error_code failure;
  const auto changed = std::filesystem::last_write_time(path_, failure);
  if (failure) return Error{fmt::format("cannot read {}: {}", path_.string(), failure.message())};
  if (changed == changed_) return {};
  std::ifstream in(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto entries = read_crl(text, ca_);
  if (!entries) return Error{fmt::format("{}: {}", path_.string(), entries.error().message)};
  revoked_.clear();
  judged_.clear();
  for (const Revoked& entry : *entries) revoked_.emplace(entry.serial, entry.since);
  changed_ = changed;
  return {};
}

std::string RevocationList::judge(const std::string& certificate) const {
  const auto facts = read_certificate(certificate);
  if (!facts) return "the certificate cannot be read";
  const auto found = revoked_.find(facts->serial);
  if (found == revoked_.end()) return "";
  return fmt::format("the certificate of '{}' was revoked ({}); ask the operator of the federation for another",
                     facts->common_name, moment_text(found->second));
}

std::string RevocationList::veto(const std::string& certificate) {
  constexpr auto kPause = std::chrono::milliseconds(200);
  constexpr std::size_t kMaxJudged = 10'000;
  if (const auto now = std::chrono::steady_clock::now(); now - looked_ >= kPause) {
    looked_ = now;
    (void)read();
  }
  if (const auto found = judged_.find(certificate); found != judged_.end()) return found->second;
  if (judged_.size() >= kMaxJudged) judged_.clear();
  return judged_.emplace(certificate, judge(certificate)).first->second;
}

}  // namespace fedrk::security
