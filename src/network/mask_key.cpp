// SPDX-License-Identifier: Apache-2.0
#include "network/mask_key.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "fedrk/security/signature.hpp"
#include "network/words.hpp"

namespace fedrk::network {
namespace {

// What is signed: nothing else that a client signs begins like this, and lengths keep the three apart.
std::string statement(const std::string& run, const std::string& name, std::string_view key) {
  std::string text = fmt::format("fedrk mask key 1\n{} {}\n{} {}\n", run.size(), run, name.size(), name);
  return text.append(key);
}

}  // namespace

Result<v1::MaskKey> mask_key_message(const std::string& run, const std::string& name, const masking::Key& key,
                                     const std::optional<security::Credentials>& own) {
  v1::MaskKey message;
  message.set_key(std::string(masking::text_of(key)));
  if (!own) return message;
  auto signature = security::sign(own->key, statement(run, name, masking::text_of(key)));
  if (!signature) return signature.error();
  message.set_certificate(own->certificate);
  message.set_signature(*std::move(signature));
  return message;
}

Result<masking::Key> mask_key_from(const v1::MaskKey& message, const std::string& run, const std::string& name,
                                   const std::optional<security::Credentials>& own, security::Moment now) {
  masking::Key key;
  if (message.key().size() != key.size()) return Error{fmt::format("'{}' has no key for masks", tamed(name))};
  std::ranges::copy(message.key(), key.begin());
  if (!own) return key;
  if (const auto believed = security::believe_client(message.certificate(), own->ca, name, now); !believed) {
    return believed.error();
  }
  const auto fits =
      security::is_signed(message.certificate(), statement(run, name, message.key()), message.signature());
  if (!fits) return fits.error();
  if (!*fits) return Error{fmt::format("the key of '{}' for masks is not signed by it", tamed(name))};
  return key;
}

}  // namespace fedrk::network
