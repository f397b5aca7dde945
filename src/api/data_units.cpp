// SPDX-License-Identifier: Apache-2.0
#include "api/data_units.hpp"

#include <algorithm>
#include <vector>

namespace fedrk::api {
namespace {

void undo(std::span<const double> centre, std::span<const double> scale, std::span<double> row) {
  for (std::size_t j = 0; j < std::min(scale.size(), row.size()); ++j) row[j] = scale[j] * row[j] + centre[j] * row[0];
}

}  // namespace

void undo_scaling(const io::Problem& problem, std::span<double> row) {
  if (problem.scaling) undo(problem.scaling->centre, problem.scaling->scale, row);
}

void undo_frame(const io::Problem& problem, std::span<double> row) {
  const Frame& frame = problem.fit.frame;
  std::vector<double> scale = frame.inverse_scale;
  for (double& entry : scale) entry = 1.0 / entry;
  undo(frame.centre, scale, row);
}

}  // namespace fedrk::api
