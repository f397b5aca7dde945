// SPDX-License-Identifier: Apache-2.0
#include "linalg/random/row_sampler.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/contracts.hpp"

namespace fedrk {
namespace {

constexpr std::uint64_t kAlways = ~std::uint64_t{0};

}  // namespace

RowSampler RowSampler::weighted(std::span<const double> weights) {
  std::vector<std::uint32_t> rows;
  rows.reserve(weights.size());
  double largest = 0.0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    FEDRK_EXPECTS(std::isfinite(weights[j]) && weights[j] >= 0.0);
    if (weights[j] > 0.0) rows.push_back(static_cast<std::uint32_t>(j));
    largest = std::max(largest, weights[j]);
  }
  std::vector<double> share;  // what is left of each row's weight, one being a full slot
  share.reserve(rows.size());
  double total = 0.0;  // of the weights over the largest, so that no sum overflows
  for (const auto row : rows) {
    share.push_back(weights[row] / largest);
    total += share.back();
  }

  RowSampler sampler;
  sampler.slots_.reserve(rows.size());
  std::vector<std::size_t> small, large;
  small.reserve(rows.size());
  large.reserve(rows.size());
  const double slots_for_one = static_cast<double>(rows.size()) / total;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    share[k] *= slots_for_one;
    (share[k] < 1.0 ? small : large).push_back(k);
    sampler.slots_.push_back({kAlways, {rows[k], rows[k]}});
  }
  while (!small.empty() && !large.empty()) {
    const std::size_t under = small.back();
    const std::size_t over = large.back();
    small.pop_back();
    sampler.slots_[under].threshold = static_cast<std::uint64_t>(share[under] * 0x1.0p64);
    sampler.slots_[under].row_or_alias[1] = sampler.slots_[over].row_or_alias[0];
    share[over] -= 1.0 - share[under];
    if (share[over] < 1.0) {
      large.pop_back();
      small.push_back(over);
    }
  }
  return sampler;
}

RowSampler RowSampler::uniform(std::span<const double> weights) {
  RowSampler sampler;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const auto row = static_cast<std::uint32_t>(j);
    if (weights[j] > 0.0) sampler.slots_.push_back({kAlways, {row, row}});
  }
  return sampler;
}

void RowSampler::draw(RngStream& stream, std::span<std::uint32_t> rows) const {
  std::array<std::uint64_t, 128> numbers;
  while (!rows.empty()) {
    const auto some = std::span(numbers).first(std::min(numbers.size(), rows.size()));
    stream.fill(some);
    for (std::size_t k = 0; k < some.size(); ++k) rows[k] = row_for(some[k]);
    rows = rows.subspan(some.size());
  }
}

std::vector<std::uint32_t> RowSampler::rows() const {
  std::vector<std::uint32_t> rows;
  for (const Slot& slot : slots_) rows.push_back(slot.row_or_alias[0]);
  return rows;
}

void RowDraws::next(std::span<std::uint32_t> rows) {
  if (sampler_.order() != RowSampling::Shuffled) return sampler_.draw(stream_, rows);
  if (pass_.empty()) pass_ = sampler_.rows();
  for (std::uint32_t& row : rows) {  // Fisher and Yates, as far as it is needed
    const auto pick = at_ + static_cast<std::size_t>(stream_.below(pass_.size() - at_));
    std::swap(pass_[at_], pass_[pick]);
    row = pass_[at_];
    at_ = at_ + 1 == pass_.size() ? 0 : at_ + 1;
  }
}

// Keeps the first `known` rows and draws the others, as far as there are steps for them.
void DrawnRows::draw_from(std::size_t known) {
  const auto open = std::span(rows_).subspan(known);
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, open.size()));
  draws_.next(open.first(count));
  left_ -= count;
  std::fill(open.begin() + static_cast<std::ptrdiff_t>(count), open.end(), rows_[known + count - 1]);
}

RowSampler RowSampler::make(RowSampling sampling, std::span<const double> squared_norms) {
  RowSampler sampler = sampling == RowSampling::SquaredNorm ? weighted(squared_norms) : uniform(squared_norms);
  sampler.order_ = sampling;
  return sampler;
}

}  // namespace fedrk
