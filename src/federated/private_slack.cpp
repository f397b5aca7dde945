// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/private_slack.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "fedrk/base/error.hpp"
#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

bool is_round(double value) { return value >= 0.0 && value < 0x1.0p32 && value == std::floor(value); }

}  // namespace

std::vector<double> SlackNews::packed() const {
  std::vector<double> numbers{known ? 1.0 : 0.0};
  for (const Factor& factor : factors) {
    numbers.push_back(static_cast<double>(factor.round));
    numbers.push_back(factor.total);
  }
  return numbers;
}

SlackNews SlackNews::unpacked(std::span<const double> numbers) {
  if (numbers.size() % 2 != 1) throw InvalidArgument("what the server told about the slack is incomplete");
  SlackNews news{numbers[0] != 0.0, {}};
  for (std::size_t k = 1; k < numbers.size(); k += 2) {
    if (!is_round(numbers[k]) || !std::isfinite(numbers[k + 1])) {
      throw InvalidArgument("what the server told about the slack makes no sense");
    }
    news.factors.push_back({static_cast<std::uint32_t>(numbers[k]), numbers[k + 1]});
  }
  return news;
}

void PrivateSlack::learn(const SlackNews& news, std::span<const std::uint32_t> stored) {
  if (!news.known) {
    std::ranges::fill(settled_, 0.0);
    open_.clear();
    return;
  }
  std::erase_if(open_, [&](Direction& direction) {
    const auto told = std::ranges::find(news.factors, direction.round, &SlackNews::Factor::round);
    if (told == news.factors.end()) return true;  // others may have been heard in that round, this client was not
    const bool still_stored = std::ranges::binary_search(stored, direction.round);
    direction.total = told->total;
    if (!still_stored) axpy(direction.total, direction.y, settled_);
    return !still_stored;
  });
}

std::vector<double> PrivateSlack::coefficients() const {
  std::vector<double> w = settled_;
  for (const Direction& direction : open_) axpy(direction.total, direction.y, w);
  return w;
}

std::vector<double> PrivateSlack::products(std::span<const double> y, std::span<const std::uint32_t> rounds) const {
  std::vector<double> result;
  for (const std::uint32_t round : rounds) {
    const auto found = std::ranges::find(open_, round, &Direction::round);
    result.push_back(found == open_.end() ? 0.0 : dot(found->y, y));
  }
  return result;
}

void PrivateSlack::keep(std::uint32_t round, std::vector<double> y) {
  std::erase_if(open_, [&](const Direction& direction) { return direction.round == round; });
  open_.push_back({round, 0.0, std::move(y)});
}

// w as far as it is settled, then each direction: round, total, y.
std::vector<double> PrivateSlack::state() const {
  std::vector<double> numbers = settled_;
  numbers.reserve(settled_.size() + open_.size() * (settled_.size() + 2));
  for (const Direction& direction : open_) {
    numbers.push_back(static_cast<double>(direction.round));
    numbers.push_back(direction.total);
    numbers.insert(numbers.end(), direction.y.begin(), direction.y.end());
  }
  return numbers;
}

void PrivateSlack::restore(std::span<const double> state) {
  const std::size_t rows = settled_.size(), each = rows + 2;
  if (state.size() < rows || (state.size() - rows) % each != 0) {
    throw InvalidArgument("the stored slack is not one of " + std::to_string(rows) + " rows");
  }
  std::vector<Direction> open;
  for (std::size_t at = rows; at < state.size(); at += each) {
    if (!is_round(state[at])) throw InvalidArgument("the stored slack makes no sense");
    const auto y = state.subspan(at + 2, rows);
    open.push_back({static_cast<std::uint32_t>(state[at]), state[at + 1], {y.begin(), y.end()}});
  }
  settled_.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(rows));
  open_ = std::move(open);
}

}  // namespace fedrk
