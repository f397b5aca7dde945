// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/masker.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

namespace fedrk::masking {
namespace {

Key key_of(std::uint8_t first) {
  Key key{};
  key[0] = first;
  return key;
}

/// Clients who have met.
std::vector<std::unique_ptr<Masker>> masking_group_of(std::size_t count, const std::string& run = "run") {
  std::vector<std::unique_ptr<Masker>> maskers;
  std::vector<Key> keys;
  for (std::size_t i = 0; i < count; ++i) {
    maskers.push_back(std::make_unique<Masker>(key_of(static_cast<std::uint8_t>(i + 1)), run));
    keys.push_back(maskers.back()->public_key());
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_TRUE(maskers[i]->set_peers(ClientId{i}, keys));
  }
  return maskers;
}

std::vector<ClientId> places(std::initializer_list<std::uint32_t> values) {
  std::vector<ClientId> ids;
  for (const std::uint32_t value : values) ids.push_back(ClientId{value});
  return ids;
}

Words masked(const Masker& masker, const Key& question, const std::vector<ClientId>& who, const PartLayout& layout,
             Words part) {
  masker.mask(question, who, layout, part);
  return part;
}

const PartLayout kLayout{3, 2};
const std::vector<double> kValues{1.0, -2.0, 0.5}, kScalars{4.0, -1e-20};

TEST(Masker, LeavesTheSumAsItIs) {
  const auto maskers = masking_group_of(6);
  const Grid grid{-20};
  for (const auto& who : {places({0, 1, 2}), places({1, 3, 4, 5}), places({0, 1, 2, 3, 4, 5})}) {
    const Words part = *part_of(kValues, kScalars, grid, who.size());
    Words sum(kLayout.words(), 0);
    for (const ClientId id : who) add_part(kLayout, masked(*maskers[id.value], key_of(9), who, kLayout, part), sum);
    const auto read = read_sum(kLayout, grid, sum);

    const auto count = static_cast<double>(who.size());
    EXPECT_EQ(read.parties, who.size());
    EXPECT_EQ(read.values, (AlignedVector{count, -2.0 * count, 0.5 * count}));
    EXPECT_EQ(read.scalars[0], 4.0 * count);
    EXPECT_NEAR(read.scalars[1], -1e-20 * count, 1e-35);
  }
}

std::vector<ClientId> first_places(std::uint32_t count, std::uint32_t step = 1) {
  std::vector<ClientId> ids;
  for (std::uint32_t i = 0; i < count; i += step) ids.push_back(ClientId{i});
  return ids;
}

TEST(Masker, SharesMasksWithSomeNeighboursOnlyInALargeSum) {
  const auto maskers = masking_group_of(200);
  const Grid grid{-20};
  for (const auto& who : {first_places(200), first_places(200, 2), first_places(kNeighbours + 2)}) {
    const Words part = *part_of(kValues, kScalars, grid, who.size());
    Words sum(kLayout.words(), 0);
    for (const ClientId id : who) {
      const auto neighbours = maskers[id.value]->neighbours(who);
      EXPECT_EQ(neighbours.size(), kNeighbours);
      for (const ClientId other : neighbours) {
        const auto back = maskers[other.value]->neighbours(who);
        EXPECT_EQ(std::ranges::count(back, id), 1) << id.value << " and " << other.value;
      }
      add_part(kLayout, masked(*maskers[id.value], key_of(9), who, kLayout, part), sum);
    }

    EXPECT_EQ(read_sum(kLayout, grid, sum).parties, who.size());
  }
}

// Half of 200 take their own masks away: those of the others must still hold together, or sums over some of them could
// be read. The chance that they do not is below 1e-14.
TEST(Masker, HoldsTogetherWhereHalfOfALargeSumCollude) {
  const auto maskers = masking_group_of(200);
  const auto who = first_places(200);
  for (const std::uint32_t colluding : {0U, 1U}) {  // every other one, by keys that nobody chose
    std::vector<ClientId> reached{ClientId{1 - colluding}};
    for (std::size_t k = 0; k < reached.size(); ++k) {
      for (const ClientId other : maskers[reached[k].value]->neighbours(who)) {
        if (other.value % 2 == colluding || std::ranges::count(reached, other) > 0) continue;
        reached.push_back(other);
      }
    }
    EXPECT_EQ(reached.size(), 100);
  }
}

// Whose part is missing, or who was asked something else, leaves masks that give it away.
TEST(Masker, LeavesNothingOfASumThatIsIncomplete) {
  const auto maskers = masking_group_of(4);
  const auto who = places({0, 1, 2, 3});
  const Words part = *part_of(kValues, kScalars, Grid{-20}, 4);
  Words without(kLayout.words(), 0), other(kLayout.words(), 0);
  for (const ClientId id : who) {
    const Words mine = masked(*maskers[id.value], key_of(9), who, kLayout, part);
    if (id.value != 3) add_part(kLayout, mine, without);
    add_part(kLayout, id.value == 3 ? masked(*maskers[3], key_of(8), who, kLayout, part) : mine, other);
  }
  EXPECT_NE(read_sum(kLayout, Grid{-20}, without).parties, 3);
  EXPECT_NE(read_sum(kLayout, Grid{-20}, other).parties, 4);
}

TEST(Masker, GivesTheSameBytesToTheSameQuestionAndOthersToEveryOther) {
  const auto maskers = masking_group_of(4);
  const auto another_run = masking_group_of(4, "another");
  const auto who = places({0, 1, 2, 3}), fewer = places({0, 1, 2});
  const Words part = *part_of(kValues, kScalars, Grid{-20}, 4);
  const Words first = masked(*maskers[1], key_of(9), who, kLayout, part);
  EXPECT_EQ(first, masked(*maskers[1], key_of(9), who, kLayout, part));
  EXPECT_NE(first, masked(*maskers[1], key_of(8), who, kLayout, part));
  EXPECT_NE(first, masked(*another_run[1], key_of(9), who, kLayout, part));
  EXPECT_NE(first, masked(*maskers[1], key_of(9), fewer, kLayout, part));
}

// Every byte of a masked part is as likely as every other, whatever the part is: chi-square over 256 values, with 255
// degrees of freedom, is below 400 but for one case in 10^8.
TEST(Masker, MakesSinglePartsUniform) {
  const auto maskers = masking_group_of(3);
  const auto who = places({0, 1, 2});
  const PartLayout layout{500, 100};
  const std::vector<double> values(500, 0.0), scalars(100, 0.0);
  for (const ClientId id : who) {
    std::vector<double> counts(256, 0.0);
    double bytes = 0.0;
    for (std::uint8_t question = 0; question < 20; ++question) {
      for (std::uint64_t word :
           masked(*maskers[id.value], key_of(question), who, layout, *part_of(values, scalars, Grid{0}, 3))) {
        for (int k = 0; k < 8; ++k, word >>= 8) {
          counts[word & 255] += 1.0;
          bytes += 1.0;
        }
      }
    }
    double chi_square = 0.0;
    for (const double count : counts) chi_square += std::pow(count - bytes / 256.0, 2) / (bytes / 256.0);
    EXPECT_LT(chi_square, 400.0);
    EXPECT_GT(chi_square, 150.0) << "too even to be random";
  }
}

// A sum with a part that did not fit is of no use, and does not say how many such parts there are.
TEST(Masker, LeavesNothingOfASumWithAMisfit) {
  const auto maskers = masking_group_of(3);
  const auto who = places({0, 1, 2});
  const PartLayout layout{3, 0};
  const std::vector<double> values{1.0, 2.0, 3.0};
  for (const std::size_t misfits : {1U, 2U}) {
    Words sum(layout.words(), 0);
    for (const ClientId id : who) {
      Words part =
          id.value < misfits ? maskers[id.value]->misfit(key_of(9), layout) : *part_of(values, {}, Grid{-20}, 3);
      EXPECT_EQ(part, id.value < misfits ? maskers[id.value]->misfit(key_of(9), layout) : part) << "to the byte";
      add_part(layout, masked(*maskers[id.value], key_of(9), who, layout, part), sum);
    }
    const auto read = read_sum(layout, Grid{-20}, sum);
    EXPECT_EQ(read.parties, 3);
    EXPECT_FALSE(read.fits);
    EXPECT_GT(sum[1], 1000) << "no count";
    for (std::size_t k = 0; k < 3; ++k) EXPECT_GT(std::abs(read.values[k]), 1e6);
  }
}

TEST(Masker, DrawsForItselfAlone) {
  const auto maskers = masking_group_of(2);
  EXPECT_EQ(maskers[0]->draws("rows", key_of(1)), maskers[0]->draws("rows", key_of(1)));
  EXPECT_NE(maskers[0]->draws("rows", key_of(1)), maskers[0]->draws("rows", key_of(2)));
  EXPECT_NE(maskers[0]->draws("rows", key_of(1)), maskers[0]->draws("noise", key_of(1)));
  EXPECT_NE(maskers[0]->draws("rows", key_of(1)), maskers[1]->draws("rows", key_of(1)));
}

TEST(Masker, RefusesPeersThatMakeNoSense) {
  Masker masker(key_of(1), "run");
  const Masker other(key_of(2), "run");
  const Key mine = masker.public_key(), theirs = other.public_key();
  const auto message = [&](ClientId self, std::vector<Key> keys) {
    const auto met = masker.set_peers(self, keys);
    return met ? std::string() : met.error().message;
  };
  EXPECT_EQ(message(ClientId{0}, {theirs, mine}), "the server gives this client another key than its own");
  EXPECT_EQ(message(ClientId{2}, {theirs, mine}), "the server gives this client another key than its own");
  EXPECT_EQ(message(ClientId{0}, {mine, theirs, theirs}), "the server gives two clients the same key");
  EXPECT_EQ(message(ClientId{0}, {mine, Key{}}), "the key of a client is not one that can be used") << "of low order";
  EXPECT_EQ(message(ClientId{0}, {mine, theirs}), "");
}

TEST(Masker, TellsTextsApartThatWouldRunTogether) {
  EXPECT_EQ(digest({"ab", "c"}), digest({"ab", "c"}));
  EXPECT_NE(digest({"ab", "c"}), digest({"a", "bc"}));
  EXPECT_NE(digest({"ab"}), digest({"ab", ""}));
  EXPECT_NE(random_key(), random_key());
}

}  // namespace
}  // namespace fedrk::masking
