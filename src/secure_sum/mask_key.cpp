// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/mask_key.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "pki/signature.hpp"
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {
namespace {

// What is signed: nothing else that a client signs begins like this, and lengths keep the three apart.
std::string statement(const std::string& run, const std::string& name, std::string_view key) {
  std::string text = fmt::format("fedrk mask key 1\n{} {}\n{} {}\n", run.size(), run, name.size(), name);
  return text.append(key);
}

}  // namespace

Result<wire::MaskKey> mask_key_message(const std::string& run, const std::string& name, const masking::Key& key,
                                       const std::optional<security::Credentials>& own) {
  wire::MaskKey message;
  message.key.assign(key.begin(), key.end());
  if (!own) return message;
  const auto signature = security::sign(own->key, statement(run, name, masking::text_of(key)));
  if (!signature) return signature.error();
  message.certificate = own->certificate;
  message.signature = wire::bytes_from(*signature);
  return message;
}

Result<masking::Key> mask_key_from(const wire::MaskKey& message, const std::string& run, const std::string& name,
                                   const std::optional<security::Credentials>& own, security::Moment now) {
  masking::Key key;
  if (message.key.size() != key.size()) return Error{fmt::format("'{}' has no key for masks", sanitized(name))};
  std::ranges::copy(message.key, key.begin());
  if (!own) return key;
  if (const auto believed = security::believe_client(message.certificate, own->ca, name, now); !believed) {
    return believed.error();
  }
  const auto fits = security::is_signed(message.certificate, statement(run, name, masking::text_of(key)),
                                        wire::text_of(message.signature));
  if (!fits) return fits.error();
  if (!*fits) return Error{fmt::format("the key of '{}' for masks is not signed by it", sanitized(name))};
  return key;
}

}  // namespace fedrk::network
