// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/hyperplane.hpp"

#include <cmath>
#include <utility>

namespace fedrk {

std::optional<Hyperplane> hyperplane_from(Displacement displacement, std::span<const double> x) {
  const double square = squared_norm(displacement.delta);
  if (square == 0.0) return std::nullopt;
  const double offset = square + dot(displacement.delta, x);
  return Hyperplane{std::move(displacement.delta), offset, square};
}

std::vector<Hyperplane> hyperplanes_from(RoundReplies& round, std::span<const double> x) {
  const auto is_unusable = [&](const LocalReply& reply) {
    const auto& delta = reply.displacement.delta;
    const bool residual_fits = !reply.squared_residual || std::isfinite(*reply.squared_residual);
    if (delta.size() == x.size() && residual_fits && std::isfinite(squared_norm(delta))) return false;
    round.absences.push_back({reply.displacement.client, delta.size() == x.size()
                                                             ? "its update holds a number that is not finite"
                                                             : "its update has the wrong length"});
    return true;
  };
  std::erase_if(round.replies, is_unusable);

  std::vector<Hyperplane> planes;
  planes.reserve(round.replies.size());
  for (LocalReply& reply : round.replies) {
    if (auto plane = hyperplane_from(std::move(reply.displacement), x)) planes.push_back(std::move(*plane));
  }
  return planes;
}

}  // namespace fedrk
