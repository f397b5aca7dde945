// SPDX-License-Identifier: Apache-2.0
#include "methods/others/gradient_descent.hpp"

#include "linalg/kernels.hpp"

namespace fedrk {

Request GradientDescent::request(RoundIndex, std::span<const double> x) { return {Gradient{}, x}; }

void GradientDescent::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  const std::span replies = round.replies;
  if (replies.empty()) return;
  const double scale = step_ * static_cast<double>(clients_) / static_cast<double>(replies.size());
  for (const LocalReply& reply : replies) axpy(scale, reply.values, x);
  threshold_.apply(x);
}

}  // namespace fedrk
