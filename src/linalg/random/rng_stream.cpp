// SPDX-License-Identifier: Apache-2.0
#include "linalg/random/rng_stream.hpp"

#include <cmath>
#include <numbers>

#include <Random123/philox.h>

#include "fedrk/contracts.hpp"
#include "linalg/simd/kernel_table.hpp"

namespace fedrk {
namespace {

std::array<std::uint64_t, 2> philox(std::uint64_t seed, std::uint64_t low, std::uint32_t third, std::uint32_t fourth) {
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), third, fourth}};
  const r123::Philox4x32::key_type key = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const auto out = r123::Philox4x32{}(counter, key);
  return {out[0] | std::uint64_t{out[1]} << 32, out[2] | std::uint64_t{out[3]} << 32};
}

}  // namespace

RngStream::RngStream(std::uint64_t seed, Purpose purpose, RoundIndex round)
    : seed_(seed), purpose_(static_cast<std::uint32_t>(purpose)), round_(round.value) {}

std::uint64_t RngStream::next() {
  if (ready_count_ == 0) {
    const auto block = philox(seed_, block_++, purpose_, round_);
    ready_ = {block[1], block[0]};  // taken from the back
    ready_count_ = 2;
  }
  return ready_[--ready_count_];
}

void RngStream::fill(std::span<std::uint64_t> numbers) {
  std::size_t k = 0;
  while (k < numbers.size() && ready_count_ > 0) numbers[k++] = next();
  const std::size_t blocks = (numbers.size() - k) / 2;
  detail::kernels().philox(seed_, block_, purpose_, round_, numbers.data() + k, blocks);
  block_ += blocks;
  k += 2 * blocks;
  if (k < numbers.size()) numbers[k] = next();
}

std::uint64_t RngStream::below(std::uint64_t bound) {
  FEDRK_EXPECTS(bound > 0);
  // Lemire, "Fast random integer generation in an interval" (2019): reject the few products that would be uneven.
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(next()) * bound;
  auto low = static_cast<std::uint64_t>(product);
  if (low < bound) {
    const std::uint64_t uneven = (0 - bound) % bound;
    while (low < uneven) {
      product = static_cast<Wide>(next()) * bound;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double RngStream::gaussian() {
  if (has_spare_gaussian_) {
    has_spare_gaussian_ = false;
    return spare_gaussian_;
  }
  const double u = 1.0 - uniform();  // in (0, 1], so that the logarithm is finite
  const double angle = 2.0 * std::numbers::pi * uniform();
  const double radius = std::sqrt(-2.0 * std::log(u));
  spare_gaussian_ = radius * std::sin(angle);
  has_spare_gaussian_ = true;
  return radius * std::cos(angle);
}

std::uint64_t client_seed(std::uint64_t plan_seed, std::string_view client_name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : client_name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  constexpr std::uint32_t kClientSeed = 0xC11E57ED;  // apart from every Purpose
  return philox(plan_seed, hash, kClientSeed, 0)[0];
}

}  // namespace fedrk
