// SPDX-License-Identifier: Apache-2.0
#pragma once

// Masks that cancel in a sum. Each pair of clients shares a secret that nobody else can compute (X25519), and from it
// and the question at hand both draw the same random words (BLAKE2b for the key, ChaCha20 for the words). The one of
// the lower key adds them to its part, the other subtracts them: by keys and not by places, which a server could tell
// each of them differently. To whoever has not both secrets of a pair, a part
// with masks is uniformly random; the sum over all participants is that of the parts.
//
// In a large sum a client shares masks with kNeighbours others only, so that its work does not grow with the sum. They
// are its nearest on a ring in which the participants stand in an order that a hash of all keys decides. What colluding
// participants could learn are the sums over stretches of the ring that two runs of kNeighbours / 2 of them cut out:
// with half of all colluding, the chance of one such run at a given place is 2^-32, and two are needed.
//
// A question's name is to cover everything that all participants were told, from the plan to x. Another question has
// other masks, and participants who were told different things have masks that do not cancel.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fedrk/client_id.hpp"
#include "secure_sum/part.hpp"

namespace fedrk::masking {

using Key = std::array<std::uint8_t, 32>;
using Digest = std::array<std::uint8_t, 32>;

/// Its bytes.
inline std::string_view text_of(const Key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};  // NOLINT: bytes as text
}

/// 256 random bits from the system.
Key random_key();

/// One name for several texts together: BLAKE2b of the texts with their lengths.
Key digest(std::span<const std::string_view> texts);
inline Key digest(std::initializer_list<std::string_view> texts) {
  return digest(std::span<const std::string_view>(texts.begin(), texts.size()));
}

/// Others with whom a client shares masks in a sum of more than that.
constexpr std::size_t kNeighbours = 64;

class Masker {
 public:
  /// `secret` is the client's own for this run, and never leaves it: all that it draws in the run comes from it.
  Masker(const Key& secret, std::string run);
  ~Masker();
  Masker(const Masker&) = delete;
  Masker& operator=(const Masker&) = delete;

  /// What the others need to know of it.
  const Key& public_key() const { return public_; }

  /// The clients of the run by place, with this one at `self`. An error where this one's key is not its own, where two
  /// have the same, or where one is no key.
  Result<void> set_peers(ClientId self, std::span<const Key> masking_group);
  std::size_t masking_group() const { return masking_group_.size(); }
  ClientId self() const { return self_; }

  /// With whom this client shares masks in a sum over these: everyone, or the neighbours on their ring.
  std::vector<ClientId> neighbours(std::span<const ClientId> participants) const;

  /// Adds this client's masks for the question of that name.
  /// REQUIRES: it has its peers; participants are places in it, this one's with them; words of the layout.
  void mask(const Key& question, std::span<const ClientId> participants, const PartLayout& layout,
            std::span<std::uint64_t> words) const;

  /// What a client sends whose numbers do not fit: random words that nobody else knows, so that the sum is of no use.
  Words misfit(const Key& question, const PartLayout& layout) const;

  /// 64 bits that only this client knows, for one purpose and one question.
  std::uint64_t draws(std::string_view purpose, const Key& question) const;

  /// Standard Gaussian numbers that only this client knows, of that many (Box and Muller, from the words of the
  /// cipher).
  std::vector<double> gaussians(std::string_view purpose, const Key& question, std::size_t count) const;

 private:
  Key secret_, public_;
  std::string run_;
  ClientId self_;
  Key key_for(std::string_view purpose, const Key& question) const;

  std::vector<Key> masking_group_;  // by place
  std::vector<Key> shared_;         // with each of them
  std::vector<Key> order_;          // on the ring: of two, the lower one stands first
};

}  // namespace fedrk::masking
