// SPDX-License-Identifier: Apache-2.0
#include "round/server_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "fedrk/aligned_vector.hpp"
#include "kaczmarz/gram_steps.hpp"
#include "kaczmarz/randomized_kaczmarz.hpp"
#include "linalg/gram.hpp"
#include "linalg/kernels.hpp"
#include "linalg/row_products.hpp"
#include "linalg/row_space.hpp"
#include "round/hyperplane.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kMaxProducts = std::size_t{64} << 20;  // bytes of H

// Works on the way from x, where the offset of a plane is its gap.
void project_onto_intersection(std::span<const Hyperplane> planes, std::span<double> x) {
  Matrix normals(planes.size(), x.size());
  std::vector<double> gaps;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    std::ranges::copy(planes[i].normal, normals.row(i).begin());
    gaps.push_back(planes[i].gap);
  }
  std::vector<double> way(x.size(), 0.0);
  RowSpaceProjection(normals, gaps).project(way);
  axpy(1.0, way, x);
}

// H, with the diagonal as the planes have it.
Matrix products_of(std::span<const Hyperplane> planes, std::span<const std::uint32_t> chosen) {
  std::vector<std::span<const double>> normals;
  for (const std::uint32_t i : chosen) normals.emplace_back(planes[i].normal);
  Matrix products = gram_matrix(normals);
  for (std::size_t k = 0; k < chosen.size(); ++k) products.row(k)[k] = planes[chosen[k]].squared_norm;
  return products;
}

void steps_in_coefficient_space(std::span<const Hyperplane> planes, const RowSampler& sampler, FixedSteps steps,
                                RngStream stream, std::span<double> x) {
  GramSteps gram_steps(sampler, steps.count, planes.size(), stream);
  gram_steps.leave_out_untouched();
  const auto touched = gram_steps.touched();
  const Matrix products = products_of(planes, touched);
  std::vector<double> gaps, coefficients(touched.size(), 0.0);
  for (const std::uint32_t i : touched) gaps.push_back(planes[i].gap);
  gram_steps.run(products, gaps, coefficients);
  add_rows([&](std::size_t k) { return std::span<const double>(planes[touched[k]].normal); }, coefficients, x);
}

// On the way from x, where the offset of a plane is its gap.
void steps_on_x(std::span<const Hyperplane> planes, const RowSampler& sampler, FixedSteps steps, RngStream stream,
                std::span<double> x) {
  AlignedVector way(x.size(), 0.0);
  const auto plane_at = [&](std::size_t i) {
    return HyperplaneView<std::span<const double>>{planes[i].normal, planes[i].gap, planes[i].squared_norm};
  };
  randomized_kaczmarz(plane_at, sampler, steps.count, stream, way);
  axpy(1.0, way, x);
}

}  // namespace

void ServerStep::project(std::span<const Hyperplane> planes, RngStream stream, std::span<double> x) const {
  if (planes.empty()) return;
  if (const auto* steps = std::get_if<FixedSteps>(&budget_)) return make_steps(*steps, planes, stream, x);
  project_onto_intersection(planes, x);
}

void ServerStep::make_steps(FixedSteps steps, std::span<const Hyperplane> planes, RngStream stream,
                            std::span<double> x) const {
  std::vector<double> squared_norms;
  for (const Hyperplane& plane : planes) squared_norms.push_back(plane.squared_norm);
  const RowSampler sampler = RowSampler::make(sampling_, squared_norms);
  const std::size_t touched = static_cast<std::size_t>(std::min<std::uint64_t>(steps.count, planes.size()));
  const LocalShape shape{touched, static_cast<double>(x.size())};
  const bool in_gram_form = choose_form(shape, steps.count, kMaxProducts, 1.0) == LocalForm::Gram;
  (in_gram_form ? steps_in_coefficient_space : steps_on_x)(planes, sampler, steps, stream, x);
}

// ---- The hyperplanes before it, the threshold after it.

std::optional<Hyperplane> hyperplane_from(AlignedVector delta) {
  const double square = squared_norm(delta);
  // A square below the normal numbers has lost its digits, and no inverse.
  if (square < std::numeric_limits<double>::min()) return std::nullopt;
  return Hyperplane{std::move(delta), square, square};
}

std::vector<Hyperplane> hyperplanes_from(std::span<LocalReply> replies) {
  std::vector<Hyperplane> planes;
  planes.reserve(replies.size());
  for (LocalReply& reply : replies) {
    auto plane = hyperplane_from(std::move(reply.values));
    if (!plane) continue;
    if (reply.gap) plane->gap = *reply.gap;
    planes.push_back(std::move(*plane));
  }
  return planes;
}

void Threshold::apply(std::span<double> x) {
  if (sparsity_ == 0 || sparsity_ >= x.size()) return;
  order_.resize(x.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto comes_first = [x](std::size_t i, std::size_t j) {
    const double a = std::abs(x[i]), b = std::abs(x[j]);
    return a != b ? a > b : i < j;
  };
  const auto dropped = order_.begin() + static_cast<std::ptrdiff_t>(sparsity_);
  std::nth_element(order_.begin(), dropped, order_.end(), comes_first);
  std::for_each(dropped, order_.end(), [x](std::size_t i) { x[i] = 0.0; });
}

}  // namespace fedrk
