// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/hyperplane.hpp"

#include <utility>

namespace fedrk {

std::optional<Hyperplane> hyperplane_from(std::vector<double> delta, std::span<const double> x) {
  const double square = squared_norm(delta);
  if (square == 0.0) return std::nullopt;
  const double offset = square + dot(delta, x);
  return Hyperplane{std::move(delta), offset, square};
}

std::vector<Hyperplane> hyperplanes_from(std::span<LocalReply> replies, std::span<const double> x) {
  std::vector<Hyperplane> planes;
  planes.reserve(replies.size());
  for (LocalReply& reply : replies) {
    if (auto plane = hyperplane_from(std::move(reply.values), x)) planes.push_back(std::move(*plane));
  }
  return planes;
}

}  // namespace fedrk
