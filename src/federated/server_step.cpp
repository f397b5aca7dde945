// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/server_step.hpp"

#include <algorithm>
#include <vector>

#include "fedrk/kaczmarz/randomized_kaczmarz.hpp"
#include "fedrk/linalg/row_space.hpp"

namespace fedrk {
namespace {

// Works on the way from x, u = z - x, where the offset of plane i is <Delta_i, Delta_i> free of cancellation.
void project_onto_intersection(std::span<const Hyperplane> planes, std::span<double> x) {
  Matrix normals(planes.size(), x.size());
  std::vector<double> offsets;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    std::ranges::copy(planes[i].normal, normals.row(i).begin());
    offsets.push_back(planes[i].squared_norm);
  }
  std::vector<double> way(x.size(), 0.0);
  RowSpaceProjection(normals, offsets).project(way);
  axpy(1.0, way, x);
}

}  // namespace

void ServerStep::project(std::span<const Hyperplane> planes, RngStream stream, std::span<double> x) const {
  if (planes.empty()) return;
  const auto* steps = std::get_if<FixedSteps>(&budget_);
  if (steps == nullptr) return project_onto_intersection(planes, x);

  std::vector<double> squared_norms;
  for (const Hyperplane& plane : planes) squared_norms.push_back(plane.squared_norm);
  randomized_kaczmarz([&](std::size_t i) { return planes[i].view(); }, RowSampler::make(sampling_, squared_norms),
                      steps->count, stream, x);
}

}  // namespace fedrk
