// SPDX-License-Identifier: Apache-2.0
#include "base/fields.hpp"

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "base/byte_stream.hpp"
#include "base/hash.hpp"
#include "fedrk/engine.hpp"
#include "support/any_value.hpp"

namespace fedrk {
namespace {

enum class Colour : std::uint16_t { Red = 3, Blue = 500 };
constexpr std::array<Colour, 2> enumerators(Colour) { return {Colour::Red, Colour::Blue}; }

struct Everything {
  std::int32_t number = 0;
  double real = 0.0;
  bool flag = false;
  Colour colour = Colour::Red;
  std::string text{};
  std::vector<double> reals{};
  std::vector<ClientId> clients{};
  std::vector<std::string> texts{};
  std::optional<std::uint64_t> maybe{};
  std::variant<FixedSteps, ExactProjection, SparseSteps> choice{};
  static constexpr auto fields(auto& self) {
    return std::tie(self.number, self.real, self.flag, self.colour, self.text, self.reals, self.clients, self.texts,
                    self.maybe, self.choice);
  }
};

/// Any bits, so that numbers which are none come too.
class AnyBits {
 public:
  explicit AnyBits(std::uint64_t seed) : bits_(seed) {}
  template <class Number>
  Number number() {
    const std::uint64_t word = bits_();
    Number value{};
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits_() % n); }

 private:
  std::mt19937_64 bits_;
};

template <class T>
std::uint64_t hash_of(const T& value) {
  Hash hash;
  describe(value, hash);
  return hash.value();
}

TEST(Fields, AreWrittenAsTheirDescriptionSays) {
  using namespace std::string_literals;
  const Everything value{-2, 1.0, true, Colour::Blue, "ab", {-0.0}, {ClientId{7}}, {""}, 5, SparseSteps{{2}, 0.5}};

  EXPECT_EQ(bytes_of(value), "\xfe\xff\xff\xff"s +                        // number
                                 "\0\0\0\0\0\0\xf0\x3f"s +                // real
                                 "\x01"s +                                // flag
                                 "\xf4\x01"s +                            // colour
                                 "\x02\0\0\0\0\0\0\0ab"s +                // text
                                 "\x01\0\0\0\0\0\0\0"s +                  // reals
                                 "\0\0\0\0\0\0\0\x80"s +                  //
                                 "\x01\0\0\0\0\0\0\0\x07\0\0\0"s +        // clients
                                 "\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s +  // texts
                                 "\x01\x05\0\0\0\0\0\0\0"s +              // maybe
                                 "\x02\x02\0\0\0\0\0\0\0"s +              // choice: steps
                                 "\0\0\0\0\0\0\xe0\x3f"s);                // lambda
}

template <class T>
void expect_same_again(std::uint64_t seed) {
  AnyBits source(seed);
  T value{}, again{}, other{};
  test::fill_any(value, source);
  test::fill_any(other, source);
  const std::string bytes = bytes_of(value);

  ByteReader in(bytes);
  in.get(again);

  EXPECT_TRUE(in.complete());
  EXPECT_TRUE(same(value, again));
  EXPECT_EQ(hash_of(value), hash_of(again));
  EXPECT_EQ(same(value, other), hash_of(value) == hash_of(other));
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    ByteReader cut(std::string_view(bytes).substr(0, k));
    cut.get(again);
    EXPECT_FALSE(cut.complete()) << "cut after " << k;
  }
}

TEST(Fields, OfAnyValueComeBackToTheBitAndNotWithoutTheirLastByte) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    expect_same_again<Everything>(seed);
    expect_same_again<LocalWork>(seed);
    expect_same_again<LocalReply>(seed);
    expect_same_again<RoundReplies>(seed);
    expect_same_again<ClientSummary>(seed);
  }
}

template <class T>
bool is_taken(const std::string& bytes) {
  T value{};
  ByteReader in(bytes);
  in.get(value);
  return in.complete();
}

TEST(Fields, CanBeQueuesAndMapsWhoseKeysAscend) {
  using Map = std::map<std::pair<std::uint8_t, bool>, std::deque<double>>;
  const Map map{{{1, true}, {0.5, 0.25}}, {{2, false}, {}}};
  std::string bytes = bytes_of(map);

  ByteReader in(bytes);
  EXPECT_EQ(in.get<Map>(), map);
  EXPECT_TRUE(in.complete());

  bytes[8] = 2;  // the first key comes behind the second
  EXPECT_FALSE(is_taken<Map>(bytes));
}

// One value has one spelling: whatever bytes are taken are those that the value has.
TEST(Fields, AreReadFromNoBytesButTheirOwn) {
  std::mt19937_64 bits(1);
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    AnyBits source(seed);
    Everything value;
    test::fill_any(value, source);
    std::string bytes = bytes_of(value);
    bytes[bits() % bytes.size()] = static_cast<char>(bits());

    ByteReader in(bytes);
    in.get(value);

    if (!in.complete()) continue;
    ++taken;
    EXPECT_EQ(bytes_of(value), bytes);
  }
  EXPECT_GT(taken, 100);
}

TEST(Fields, RefuseWhatIsNotOnTheirLists) {
  EXPECT_TRUE(is_taken<Colour>(bytes_of(std::uint16_t{3})));
  EXPECT_FALSE(is_taken<Colour>(bytes_of(std::uint16_t{4})));
  EXPECT_FALSE(is_taken<bool>(bytes_of(std::uint8_t{2})));
  EXPECT_FALSE(is_taken<std::optional<double>>(bytes_of(std::uint8_t{2}, 1.0)));
  EXPECT_FALSE(is_taken<StepBudget>(bytes_of(std::uint8_t{2})));
}

TEST(Fields, BelieveNoLengthThatTheBytesCannotHold) {
  for (const std::uint64_t length : {std::uint64_t{2}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_FALSE(is_taken<std::vector<double>>(bytes_of(length, 1.0)));
    EXPECT_FALSE(is_taken<std::string>(bytes_of(length, 'a')));
    EXPECT_FALSE(is_taken<std::vector<LocalReply>>(bytes_of(length, std::uint8_t{0})));
    std::vector<LocalReply> replies;
    const std::string bytes = bytes_of(length);
    ByteReader in(bytes);
    in.get(replies);
    EXPECT_EQ(replies.capacity(), 0U);
  }
}

}  // namespace
}  // namespace fedrk
