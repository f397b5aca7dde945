// SPDX-License-Identifier: Apache-2.0

// What a server of a masked run has heard tells nothing of a single client. Two worlds have the same sums: in one each
// client has its own rows, in the other everyone has those of its neighbour. Everything that clients send is recorded,
// over many runs with new secrets, and compared between the worlds.

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "support/masked_fixture.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::network {
namespace {

using test::MaskedFixture;
using test::places;

constexpr std::size_t kMessageUnknowns = 6;
constexpr std::uint32_t kMessageClients = 4;
constexpr int kRuns = 300;

std::vector<Client> clients(bool exchanged) {
  auto parts = split(generate({.rows = 20, .cols = kMessageUnknowns, .seed = 5}).system,
                     partition_contiguous(20, kMessageClients));
  std::vector<Client> made;
  for (std::uint32_t i = 0; i < kMessageClients; ++i) {
    made.emplace_back(ClientId{i}, test::fixture_name(i),
                      RowBlock(std::move(parts[(i + (exchanged ? 1 : 0)) % kMessageClients])), i);
  }
  return made;
}

/// Everything that was heard in one run: the set-up, a round on a grid, one without, and a look.
void converse(MaskedFixture& fixture) {
  fixture.distribute_keys();
  const std::vector<double> x(kMessageUnknowns, 0.5);
  const auto all = places({0, 1, 2, 3});
  LocalTask steps{RoundIndex{0}, x, CutSteps{FixedSteps{10}}, true};
  LocalTask later{RoundIndex{2}, x, CutSteps{FixedSteps{10}}};
  LocalTask look{RoundIndex{3}, x, FixedSteps{0}, true};
  steps.reveal = later.reveal = look.reveal = Reveal::Sums;
  const auto ask = [&](std::uint64_t number, const LocalTask& task, const std::vector<ClientId>& who,
                       masking::Grid grid) {
    for (const ClientId client : who) fixture.ask(client.value, MaskedFixture::task(number, task, who, grid));
  };
  ask(0, steps, all, {-40});
  ask(1, steps, all, {});
  ask(2, later, all, {});
  ask(3, look, all, {});
}

/// A message without its random bits, and these.
struct Taken {
  std::string rest;
  masking::Words words;
};

Taken taken_apart(wire::ClientMessage message) {
  Taken taken;
  const auto take = [&](masking::Words& words) { taken.words = std::exchange(words, {}); };
  if (auto* sums = std::get_if<wire::ColumnSums>(&message)) take(sums->part.words);
  if (auto* prepared = std::get_if<wire::Prepared>(&message)) take(prepared->masked_norms);
  if (auto* update = std::get_if<wire::Update>(&message)) take(*update->masked);
  if (auto* ready = std::get_if<wire::Ready>(&message)) ready->membership.table.clear();
  if (auto* ready = std::get_if<wire::Ready>(&message)) ready->membership.key.clear();
  taken.rest = bytes_of(message);
  return taken;
}

using Counts = std::vector<double>;

/// How often each byte came at each place: by message, then by the word's place in it, of 16 values (its top bits)
/// each.
struct Heard {
  std::vector<std::string> rest;        // the same in every run
  std::vector<Counts> words;            // of every message and word
  std::map<std::size_t, Counts> pairs;  // of two clients' words in the same message, together
};

Heard listen(bool exchanged) {
  Heard heard;
  for (int run = 0; run < kRuns; ++run) {
    MaskedFixture fixture(clients(exchanged));
    converse(fixture);
    std::vector<std::string> rest;
    std::size_t at = 0;
    masking::Words before;
    for (const auto& [client, message] : fixture.heard()) {
      const Taken taken = taken_apart(message);
      rest.push_back(std::to_string(client) + ":" + taken.rest);
      for (std::size_t k = 0; k < taken.words.size(); ++k, ++at) {
        if (heard.words.size() <= at) heard.words.emplace_back(16, 0.0);
        heard.words[at][taken.words[k] >> 60] += 1.0;
        if (k < before.size() && before.size() == taken.words.size()) {
          Counts& together = heard.pairs.try_emplace(at, Counts(16, 0.0)).first->second;
          together[((before[k] >> 62) << 2) | (taken.words[k] >> 62)] += 1.0;
        }
      }
      before = taken.words;
    }
    if (heard.rest.empty()) heard.rest = rest;
    EXPECT_EQ(rest, heard.rest);
  }
  return heard;
}

double chi_square(const Counts& counts) {
  double total = 0.0, sum = 0.0;
  for (const double count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// Chi-square of two samples of the same size.
double chi_square(const Counts& one, const Counts& two) {
  double sum = 0.0;
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (one[k] + two[k] > 0.0) sum += (one[k] - two[k]) * (one[k] - two[k]) / (one[k] + two[k]);
  }
  return sum;
}

// With 15 degrees of freedom a chi-square of 60 comes once in 4 million times, and there are some thousands of them
// here; their mean is 15, with a deviation of sqrt(30/count).
struct Summary {
  double mean = 0.0, largest = 0.0, count = 0.0;
  void add(double value) {
    count += 1.0;
    mean += (value - mean) / count;
    largest = std::max(largest, value);
  }
  void expect_random(const char* what) const {
    EXPECT_GT(count, 100.0) << what;
    EXPECT_LT(largest, 60.0) << what;
    EXPECT_NEAR(mean, 15.0, 6.0 * std::sqrt(30.0 / count)) << what;
  }
};

TEST(MaskedMessages, AreTheSameInBothWorldsAndUniform) {
  const Heard own = listen(false), exchanged = listen(true);

  EXPECT_EQ(own.rest, exchanged.rest) << "whatever is not masked";
  ASSERT_EQ(own.words.size(), exchanged.words.size());
  Summary uniform, same, together;
  for (std::size_t k = 0; k < own.words.size(); ++k) {
    uniform.add(chi_square(own.words[k]));
    same.add(chi_square(own.words[k], exchanged.words[k]));
  }
  for (const auto& [place, counts] : own.pairs) together.add(chi_square(counts));
  uniform.expect_random("single words");
  same.expect_random("one world against the other");
  together.expect_random("words of two clients");
}

// The test above would notice: without masks the worlds are told apart at once.
TEST(MaskedMessages, WouldTellTheWorldsApartWithoutMasks) {
  const std::vector<double> x(kMessageUnknowns, 0.5);
  LocalTask steps{RoundIndex{0}, x, CutSteps{FixedSteps{10}}, true};
  auto own = clients(false), exchanged = clients(true);
  steps.fresh_draws = 1;
  const auto one = *masking::part_of(steps, own[0].local_update(steps), {-40}, 4);
  const auto two = *masking::part_of(steps, exchanged[0].local_update(steps), {-40}, 4);
  EXPECT_NE(one, two);
  Counts tops(16, 0.0);
  for (const std::uint64_t word : one) tops[word >> 60] += 1.0;
  EXPECT_GT(chi_square(tops), 60.0) << "numbers on a grid are far from random";
}

}  // namespace
}  // namespace fedrk::network
