// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/reply_part.hpp"

#include <utility>

namespace fedrk::masking {

PartLayout layout_of(const LocalTask& task, std::size_t values, const Grid& grid) {
  const std::size_t scalars = (task.report_residual ? 1 : 0) + (sends_gap(task.work) ? 1 : 0);
  const bool pairs = sends_pairs(task.work);
  return {pairs ? values / 2 : values, scalars, pairs || !grid.exponent, pairs};
}

std::optional<Words> part_of(const LocalTask& task, const LocalReply& reply, const Grid& grid, std::size_t parties) {
  std::vector<double> scalars;
  if (task.report_residual) scalars.push_back(reply.squared_residual.value());
  if (sends_gap(task.work)) scalars.push_back(reply.gap.value());
  if (sends_pairs(task.work)) return part_of_pairs(reply.values, scalars);
  return part_of(reply.values, scalars, grid, parties);
}

LocalReply reply_from(const LocalTask& task, SumOfParts sum) {
  LocalReply reply{ClientId{}, std::move(sum.values)};
  auto next = sum.scalars.begin();
  if (task.report_residual) reply.squared_residual = *next++;
  if (sends_gap(task.work)) reply.gap = *next++;
  return reply;
}

}  // namespace fedrk::masking
