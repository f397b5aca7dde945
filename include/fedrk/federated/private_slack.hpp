// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private slack: what makes every system consistent, and its limit the ridge solution.
//
// Client i gets one unknown z_i for each of its rows and solves A_i x + sqrt(lambda) z_i = b_i. Kaczmarz steps from
// (x0, 0) stay in the span of the rows (a_j, sqrt(lambda) e_j) and tend to the nearest solution, whose x minimises
// ||A x - b||^2 + lambda ||x - x0||^2. With w_i the coefficients of the client's rows in all that was added so far,
//
//     z_i = sqrt(lambda) w_i,        r_i = b_i - A_i x - lambda w_i,
//
// and w_i never leaves the client. Local steps with coefficients y_i in round t are a direction (A_i^T y_i, y_i) in
// which the server may go by any factor, then and as long as it keeps that round in its memory. So the client keeps y_i
// of such rounds, and the server tells it the factor of each, the sum of all it went so far.

#include <cstdint>
#include <span>
#include <vector>

namespace fedrk {

/// What the server tells one client before a round. Travels as plain numbers (LocalTask::own).
struct SlackNews {
  struct Factor {
    std::uint32_t round = 0;
    double total = 0.0;
  };

  /// Factors are mostly of the size of one. No server goes further, and no client believes more.
  static constexpr double kLargestTotal = 0x1.0p20;

  bool known = false;             // false: nothing this client sent has been used, it starts without slack
  std::vector<Factor> factors{};  // of the rounds that it was heard in and that are stored, or whose factor may be new

  std::vector<double> packed() const;
  /// Throws InvalidArgument where the numbers make no sense.
  static SlackNews unpacked(std::span<const double> numbers);
};

class PrivateSlack {
 public:
  explicit PrivateSlack(std::size_t rows) : settled_(rows, 0.0) {}

  /// Rounds that the server does not name are forgotten: it never got this client's answer, or told all there is to
  /// tell. Those it names and stores no longer become part of w. Told again, it changes nothing.
  void learn(const SlackNews& news, std::span<const std::uint32_t> stored);

  /// w
  std::vector<double> coefficients() const;

  /// <y, y'> with y' of each of these rounds, zero where this client took no part.
  std::vector<double> products(std::span<const double> y, std::span<const std::uint32_t> rounds) const;

  /// Keeps the y of a round, in place of what was kept of it before.
  void keep(std::uint32_t round, std::vector<double> y);

  /// All of it as plain numbers, for a client that is to go on after its process has ended.
  std::vector<double> state() const;
  /// Takes the place of what there is. Throws InvalidArgument where the numbers are not a state of so many rows.
  void restore(std::span<const double> state);

 private:
  struct Direction {
    std::uint32_t round = 0;
    double total = 0.0;
    std::vector<double> y;
  };
  std::vector<double> settled_;
  std::vector<Direction> open_;
};

}  // namespace fedrk
