// SPDX-License-Identifier: Apache-2.0
//
// Whatever is given for a certificate, a key or a revocation list: it is read or refused, no secret is quoted, and
// nothing is believed that the authority has not signed.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "fuzz/fuzz_files.hpp"
#include "pki/authority.hpp"
#include "pki/certificate.hpp"
#include "pki/signature.hpp"
#include "pki/tls_probe.hpp"

namespace fedrk::fuzz {
namespace {

using namespace security;

/// What an authority made, once.
struct Made {
  Identity authority, client, stranger;
  std::string crl, signature;
  CertificateFacts facts;
};

constexpr std::string_view kStatement = "what the client says";

template <class Value>
Value the(Result<Value> result) {
  FUZZ_PROMISE(result);
  return *std::move(result);
}

const Made& made() {
  static const Made once = [] {
    const Validity validity = valid_for_days(now(), 3650);
    const Authority authority = the(Authority::make(validity)), other = the(Authority::make(validity));
    Made all{.authority = authority.identity(),
             .client = the(authority.issue_client("site-1", validity, "spiffe://a/site-1")),
             .stranger = the(other.issue_client("site-1", validity)),
             .crl = the(authority.crl({{"0A0B", now()}}, now())),
             .signature = {},
             .facts = {}};
    all.signature = the(sign(all.client.key, kStatement));
    all.facts = the(read_certificate(all.client.certificate));
    return all;
  }();
  return once;
}

// ---- PEM by its bytes.

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string from_base64(std::string_view text) {
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(digit);
    if ((count += 6) < 8) continue;
    bytes += static_cast<char>(bits >> (count -= 8) & 0xFFU);
  }
  return bytes;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t k) {
      return at + k < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[at + k])) : 0U;
    };
    const unsigned bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (unsigned k = 0; k < 4; ++k) {
      text += at + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63U] : '=';
    }
    if (at % 48 == 45) text += '\n';
  }
  return text + "\n";
}

/// The same text with some of its bytes changed, below the armour or in it.
std::string damaged(const std::string& pem, Input& input) {
  const std::size_t first = pem.find('\n') + 1, last = pem.rfind("-----END");
  std::string bytes = from_base64(std::string_view(pem).substr(first, last - first));
  for (std::uint32_t k = input.below(4); k > 0; --k) {
    const auto at = input.below(static_cast<std::uint32_t>(bytes.size()));
    switch (input.below(4)) {
      case 0:
        bytes.erase(at, 1 + input.below(8));
        break;
      case 1:
        bytes.insert(at, input.text());
        break;
      default:
        bytes[at] = static_cast<char>(input.below(256));
        break;
    }
    if (bytes.empty()) break;
  }
  std::string text = pem.substr(0, first) + to_base64(bytes) + pem.substr(last);
  if (input.rarely(8)) input.spoil(text);
  if (input.rarely(8)) text = input.text() + "\n" + text;
  return text;
}

std::string any_pem(Input& input, const std::string& usual) {
  const Made& all = made();
  const std::array<const std::string*, 6> texts{&usual,          &all.authority.certificate, &all.client.certificate,
                                                &all.client.key, &all.stranger.certificate,  &all.crl};
  switch (input.below(6)) {
    case 0:
      return *texts[input.below(6)];
    case 1:
      return input.raw();
    default:
      return damaged(usual, input);
  }
}

template <class Value>
void check_words(const Result<Value>& result) {
  if (result) return;
  const std::string& text = result.error().message;
  FUZZ_PROMISE(!text.empty() && text.size() < 500);
  const std::string key = made().client.key.substr(40, 40);  // of its body
  FUZZ_PROMISE(text.find(key) == std::string::npos);
}

void play_certificate(Input& input) {
  const Made& all = made();
  const std::string text = any_pem(input, all.client.certificate);
  const auto facts = read_certificate(text);
  check_words(facts);
  const auto signed_here = signed_by(text, all.authority.certificate);
  check_words(signed_here);
  const auto believed = believe_client(text, all.authority.certificate, "site-1", now());
  const auto spoke = is_signed(text, kStatement, all.signature);
  check_words(spoke);
  if (!facts) {
    FUZZ_PROMISE(!believed && !(signed_here && *signed_here));
    return;
  }
  (void)moment_text(facts->not_before);
  (void)iso_text(facts->not_after);
  if (spoke && *spoke) FUZZ_PROMISE(facts->common_name == "site-1" || !believed);
  if (believed) FUZZ_PROMISE(signed_here && *signed_here);
  if (!signed_here || !*signed_here) return;
  // The authority has signed nothing else in this process.
  const bool own = facts->serial == all.facts.serial;
  const bool authority = facts->is_authority;
  FUZZ_PROMISE(own || authority);
  if (!own) return;
  FUZZ_PROMISE(facts->common_name == all.facts.common_name && facts->not_after == all.facts.not_after &&
               facts->names == all.facts.names && facts->for_client && !facts->for_server);
}

void play_key(Input& input) {
  const Made& all = made();
  const std::string text = any_pem(input, all.client.key);
  const auto belongs = key_belongs(all.client.certificate, text);
  check_words(belongs);
  const auto signature = sign(text, kStatement);
  check_words(signature);
  if (!belongs || !*belongs) return;
  const auto believed = signature ? is_signed(all.client.certificate, kStatement, *signature) : Result<bool>(true);
  FUZZ_PROMISE(believed);
}

void play_crl(Input& input) {
  const Made& all = made();
  const std::string text = any_pem(input, all.crl);
  const auto entries = read_crl(text, all.authority.certificate);
  check_words(entries);
  const auto since = revoked_since(all.client.certificate, text, all.authority.certificate);
  check_words(since);
  FUZZ_PROMISE(static_cast<bool>(since) == static_cast<bool>(entries));
  if (entries) FUZZ_PROMISE(entries->size() == 1 && entries->front().serial == "0A0B" && !*since);
}

void play_signature(Input& input) {
  const Made& all = made();
  std::string signature = all.signature, statement(kStatement);
  if (input.maybe()) input.spoil(signature);
  if (input.maybe()) input.spoil(statement);
  if (input.rarely(4)) signature = input.raw();
  const auto believed = is_signed(all.client.certificate, statement, signature);
  check_words(believed);
  if (believed && *believed) FUZZ_PROMISE(statement == kStatement);
  if (statement == kStatement && signature == all.signature) FUZZ_PROMISE(believed && *believed);
}

void play_address(Input& input) {
  std::string text(input.one_of({"server.example", "127.0.0.1", "[::1]", "::1", "", "[", "]"}));
  text += input.one_of({":7443", ":0", ":65536", ":", "", ":-1", ":70000000000000000000"});
  if (input.maybe()) text += input.rest();
  const auto place = parse_host_and_port(text, 0);
  if (!place) check_line(place.error(), "'");
  if (place) FUZZ_PROMISE(!place->host.empty() && text.find(place->host) != std::string::npos);
  (void)parse_iso(text);
  (void)is_host(text);
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  switch (input.below(8)) {
    case 0:
      fedrk::fuzz::play_key(input);
      break;
    case 1:
    case 2:
      fedrk::fuzz::play_crl(input);
      break;
    case 3:
      fedrk::fuzz::play_signature(input);
      break;
    case 4:
      fedrk::fuzz::play_address(input);
      break;
    default:
      fedrk::fuzz::play_certificate(input);
      break;
  }
  return 0;
}
