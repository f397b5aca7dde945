// SPDX-License-Identifier: Apache-2.0
#include "methods/sparse_kaczmarz.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kaczmarz/soft_threshold.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

struct Product {
  double value = 0.0;  // <s, soft(v + t s)>
  double slope = 0.0;  // in t
};

Product product_at(double t, std::span<const double> s, double lambda, std::span<const double> v) {
  Product product;
  for (std::size_t j = 0; j < s.size(); ++j) {
    const double x = soft(v[j] + t * s[j], lambda);
    product.value += s[j] * x;
    if (x != 0.0) product.slope += s[j] * s[j];
  }
  return product;
}

}  // namespace

void bregman_project(std::span<const double> normal, double offset, double lambda, std::span<double> v) {
  const double gap = offset - product_at(0.0, normal, lambda, v).value;
  if (gap == 0.0) return;
  const double sign = gap > 0.0 ? 1.0 : -1.0;
  const auto lacks = [&](double t) { return sign * (offset - product_at(sign * t, normal, lambda, v).value); };

  // The product grows without end and is made of straight pieces: from a t that is too small, doubling finds one that
  // is not, and between the two Newton's steps end within as many pieces as there are left; halving is for the odd one
  // out.
  double low = 0.0, high = sign * gap / squared_norm(normal);
  while (lacks(high) > 0.0 && high < std::numeric_limits<double>::max() / 2) low = std::exchange(high, 2.0 * high);
  double t = high;
  for (int step = 0; step < 100; ++step) {
    const Product here = product_at(sign * t, normal, lambda, v);
    const double lack = sign * (offset - here.value);
    (lack > 0.0 ? low : high) = t;
    const double next = here.slope > 0.0 ? t + lack / here.slope : low;
    const double tried = next > low && next < high ? next : 0.5 * (low + high);
    if (tried == t || tried == low || tried == high || lack == 0.0) break;
    t = tried;
  }
  axpy(sign * t, normal, v);
}

std::vector<double> dual_of(std::span<const double> x, double lambda) {
  std::vector<double> v(x.begin(), x.end());
  for (double& entry : v) entry += entry > 0.0 ? lambda : entry < 0.0 ? -lambda : 0.0;
  return v;
}

Request SparseKaczmarz::request(RoundIndex, std::span<const double> v) {
  return {SparseSteps{options_.local_budget, options_.lambda}, v, {}, options_.reveal, Audience::Turn};
}

void SparseKaczmarz::update(RoundIndex t, RoundReplies& round, std::span<double> v) {
  auto planes = hyperplanes_from(round.replies);
  if (planes.empty()) return;
  const auto x = answer(v);
  std::vector<double> offsets, squares;
  for (const Hyperplane& plane : planes) {
    offsets.push_back(plane.gap + dot(plane.normal, x));
    squares.push_back(plane.squared_norm);
  }
  if (planes.size() == 1) return bregman_project(planes[0].normal, offsets[0], options_.lambda, v);
  const RowSampler sampler = RowSampler::make(RowSampling::Uniform, squares);
  RngStream stream = stream_for(options_.seed, Purpose::ServerSteps, t);
  for (std::uint64_t step = 0; step < options_.server_steps; ++step) {
    const std::size_t i = sampler.draw(stream);
    bregman_project(planes[i].normal, offsets[i], options_.lambda, v);
  }
}

std::span<const double> SparseKaczmarz::answer(std::span<const double> v) {
  x_.resize(v.size());
  soft_threshold(v, options_.lambda, x_);
  return x_;
}

}  // namespace fedrk
