// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/signed_statements.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "pki/signature.hpp"
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {
namespace {

// What is signed: nothing else that a client signs begins like this, and lengths keep the texts apart.
std::string statement(std::string_view about, std::initializer_list<std::string_view> texts) {
  std::string text = fmt::format("fedrk {} 2\n", about);
  for (const std::string_view part : texts) text.append(fmt::format("{} ", part.size())).append(part).append("\n");
  return text;
}

std::string statement_of(const std::string& run, const std::string& name, const wire::Membership& membership) {
  return statement("membership", {run, name, wire::text_of(membership.key), std::to_string(membership.rows),
                                  membership.sparse ? "sparse" : "dense", wire::text_of(membership.table)});
}

std::string statement_of(const masking::Digest& question, const std::string& name, const masking::Words& words) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()),  // NOLINT: their bits
                               words.size() * sizeof words[0]);
  return statement("part", {masking::text_of(question), name, masking::text_of(masking::digest({bytes}))});
}

}  // namespace

Result<void> sign_membership(const std::string& run, const std::string& name,
                             const std::optional<security::Credentials>& own, wire::Membership& membership) {
  if (!own) return {};
  const auto signature = security::sign(own->key, statement_of(run, name, membership));
  if (!signature) return signature.error();
  membership.certificate = own->certificate;
  membership.signature = wire::bytes_from(*signature);
  return {};
}

Result<masking::Key> believed_key(const wire::Membership& membership, const std::string& run, const std::string& name,
                                  const std::optional<security::Credentials>& own, security::Moment now) {
  masking::Key key;
  if (membership.key.size() != key.size()) return Error{fmt::format("'{}' has no key for masks", sanitized(name))};
  std::ranges::copy(membership.key, key.begin());
  if (!own) return key;
  if (const auto believed = security::believe_client(membership.certificate, own->ca, name, now); !believed) {
    return believed.error();
  }
  const auto fits = security::is_signed(membership.certificate, statement_of(run, name, membership),
                                        wire::text_of(membership.signature));
  if (!fits) return fits.error();
  if (!*fits) return Error{fmt::format("the key of '{}' for masks is not signed by it", sanitized(name))};
  return key;
}

Result<wire::SignedPart> sign_part(const masking::Digest& question, masking::Words words, const std::string& name,
                                   const std::optional<security::Credentials>& own) {
  wire::SignedPart part{std::move(words), {}};
  if (!own) return part;
  const auto signature = security::sign(own->key, statement_of(question, name, part.words));
  if (!signature) return signature.error();
  part.signature = wire::bytes_from(*signature);
  return part;
}

Result<void> believe_part(const wire::SignedPart& part, const masking::Digest& question, const std::string& name,
                          const wire::Membership& membership, const std::optional<security::Credentials>& own) {
  if (!own) return {};
  const auto fits = security::is_signed(membership.certificate, statement_of(question, name, part.words),
                                        wire::text_of(part.signature));
  if (!fits) return fits.error();
  if (!*fits) return Error{fmt::format("the part of '{}' in the sums of columns is not signed by it", sanitized(name))};
  return {};
}

}  // namespace fedrk::network
