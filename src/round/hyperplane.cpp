// SPDX-License-Identifier: Apache-2.0
#include "round/hyperplane.hpp"

#include <limits>
#include <utility>

#include "linalg/kernels.hpp"

namespace fedrk {

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

}  // namespace fedrk
