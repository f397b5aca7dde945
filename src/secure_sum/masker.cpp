// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/masker.hpp"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <set>
#include <stdexcept>

#include "fedrk/contracts.hpp"

namespace fedrk::masking {
namespace {

static_assert(std::endian::native == std::endian::little, "words are the bytes of the cipher as they lie in memory");

void require_sodium() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw std::runtime_error("libsodium cannot be used: it finds no source of random numbers");
}

/// BLAKE2b of several texts, each with its length before it, so that no two lists run together into one.
class Hash {
 public:
  explicit Hash(const Key* key = nullptr) {
    require_sodium();
    crypto_generichash_init(&state_, key == nullptr ? nullptr : key->data(), key == nullptr ? 0 : key->size(),
                            sizeof(Key));
  }
  Hash& add(std::string_view text) {
    const std::uint64_t size = text.size();
    update(&size, sizeof size);
    update(text.data(), text.size());
    return *this;
  }
  Key result() {
    Key key;
    crypto_generichash_final(&state_, key.data(), key.size());
    sodium_memzero(&state_, sizeof state_);
    return key;
  }

 private:
  void update(const void* bytes, std::size_t count) {
    crypto_generichash_update(&state_, static_cast<const unsigned char*>(bytes), count);
  }
  crypto_generichash_state state_;
};

/// A key that leaves nothing behind.
struct Wiped {
  Key key;
  explicit Wiped(const Key& made) : key(made) {}
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { sodium_memzero(key.data(), key.size()); }
};

Key exchange_key(const Key& secret) { return Hash(&secret).add("fedrk mask exchange").result(); }

// Both of a pair get the same, whoever computes it.
Result<Key> shared_key(const Key& own_secret, const Key& own, const Key& other, std::string_view run) {
  Key point;
  if (crypto_scalarmult(point.data(), own_secret.data(), other.data()) != 0) {
    return Error{"the key of a client is not one that can be used"};
  }
  const auto [low, high] = std::minmax(own, other);
  const Key key = Hash(&point).add("fedrk mask").add(run).add(text_of(low)).add(text_of(high)).result();
  sodium_memzero(point.data(), point.size());
  return key;
}

void fill_from(const Key& key, std::span<std::uint64_t> words) {
  static constexpr std::array<std::uint8_t, crypto_stream_chacha20_NONCEBYTES> kNonce{};  // each key is used once
  auto* const bytes = reinterpret_cast<unsigned char*>(words.data());  // NOLINT: the cipher writes bytes
  crypto_stream_chacha20(bytes, words.size_bytes(), kNonce.data(), key.data());
}

}  // namespace

Key random_key() {
  require_sodium();
  Key key;
  randombytes_buf(key.data(), key.size());
  return key;
}

Key digest(std::span<const std::string_view> texts) {
  Hash hash;
  for (const std::string_view text : texts) hash.add(text);
  return hash.result();
}

Masker::Masker(const Key& secret, std::string run) : secret_(secret), run_(std::move(run)) {
  const Wiped exchange{exchange_key(secret_)};
  crypto_scalarmult_base(public_.data(), exchange.key.data());
}

Masker::~Masker() {
  sodium_memzero(secret_.data(), secret_.size());
  for (Key& key : shared_) sodium_memzero(key.data(), key.size());
}

Result<void> Masker::set_peers(ClientId self, std::span<const Key> masking_group) {
  if (self.value >= masking_group.size() || masking_group[self.value] != public_) {
    return Error{"the server gives this client another key than its own"};
  }
  if (std::set<Key>(masking_group.begin(), masking_group.end()).size() != masking_group.size()) {
    return Error{"the server gives two clients the same key"};
  }
  const Wiped exchange{exchange_key(secret_)};
  std::vector<Key> shared(masking_group.size());
  for (std::size_t i = 0; i < masking_group.size(); ++i) {
    if (i == self.value) continue;
    auto key = shared_key(exchange.key, public_, masking_group[i], run_);
    if (!key) return key.error();
    shared[i] = *key;
  }
  std::vector<Key> ordered(masking_group.begin(), masking_group.end());
  std::ranges::sort(ordered);
  Hash everyone;
  for (const Key& key : ordered) everyone.add(text_of(key));
  const Key all = everyone.result();
  order_.clear();
  for (const Key& key : masking_group)
    order_.push_back(Hash(&all).add("fedrk ring").add(run_).add(text_of(key)).result());
  masking_group_.assign(masking_group.begin(), masking_group.end());
  shared_ = std::move(shared);
  self_ = self;
  return {};
}

std::vector<ClientId> Masker::neighbours(std::span<const ClientId> participants) const {
  std::vector<ClientId> ring(participants.begin(), participants.end());
  if (ring.size() > kNeighbours + 1) {
    std::ranges::sort(ring, {}, [&](ClientId client) -> const Key& { return order_[client.value]; });
    std::rotate(ring.begin(), std::ranges::find(ring, self_), ring.end());
    // From here half of them ahead and half behind.
    ring.erase(ring.begin() + 1 + kNeighbours / 2, ring.end() - kNeighbours / 2);
  }
  std::erase(ring, self_);
  return ring;
}

void Masker::mask(const Key& question, std::span<const ClientId> participants, const PartLayout& layout,
                  std::span<std::uint64_t> words) const {
  FEDRK_EXPECTS(words.size() == layout.words());
  Words mask(words.size());
  for (const ClientId other : neighbours(participants)) {
    FEDRK_EXPECTS(other.value < shared_.size());
    const Wiped key{Hash(&shared_[other.value]).add(text_of(question)).result()};
    fill_from(key.key, mask);
    if (public_ < masking_group_[other.value]) {
      add_part(layout, mask, words);
    } else {
      subtract_part(layout, mask, words);
    }
  }
}

Key Masker::key_for(std::string_view purpose, const Key& question) const {
  return Hash(&secret_).add(purpose).add(run_).add(text_of(question)).result();
}

Words Masker::misfit(const Key& question, const PartLayout& layout) const {
  const Wiped key{key_for("misfit", question)};
  Words words(layout.words());
  fill_from(key.key, words);
  words[0] = 1;
  return words;
}

std::uint64_t Masker::draws(std::string_view purpose, const Key& question) const {
  const Key bits = key_for(purpose, question);
  std::uint64_t seed = 0;
  std::memcpy(&seed, bits.data(), sizeof seed);
  return seed;
}

std::vector<double> Masker::gaussians(std::string_view purpose, const Key& question, std::size_t count) const {
  const Wiped key{key_for(purpose, question)};
  Words words(count + count % 2);
  fill_from(key.key, words);
  std::vector<double> numbers(words.size());
  for (std::size_t k = 0; k < words.size(); k += 2) {
    const double radius = std::sqrt(-2.0 * std::log((static_cast<double>(words[k] >> 11) + 1.0) * 0x1.0p-53));
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(words[k + 1] >> 11) * 0x1.0p-53;
    numbers[k] = radius * std::cos(angle);
    numbers[k + 1] = radius * std::sin(angle);
  }
  numbers.resize(count);
  return numbers;
}

}  // namespace fedrk::masking
