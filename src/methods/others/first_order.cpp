// SPDX-License-Identifier: Apache-2.0
#include "methods/others/first_order.hpp"

#include <utility>

#include "linalg/kernels.hpp"

namespace fedrk {

Averaging::Averaging(std::span<const ClientSummary> roster, LocalWork work) : work_(std::move(work)) {
  for (const ClientSummary& client : roster) weights_.push_back(static_cast<double>(client.rows));
}

Request Averaging::request(RoundIndex, std::span<const double> x) { return {work_, x}; }

void Averaging::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  const std::span replies = round.replies;
  double total = 0.0;
  for (const LocalReply& reply : replies) total += weights_[reply.client.value];
  if (total == 0.0) return;
  for (const LocalReply& reply : replies) axpy(weights_[reply.client.value] / total, reply.values, x);
}

Request GradientDescent::request(RoundIndex, std::span<const double> x) { return {Gradient{}, x}; }

void GradientDescent::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  const std::span replies = round.replies;
  if (replies.empty()) return;
  const double scale = step_ * static_cast<double>(clients_) / static_cast<double>(replies.size());
  for (const LocalReply& reply : replies) axpy(scale, reply.values, x);
  threshold_.apply(x);
}

Scaffold::Scaffold(std::size_t clients, std::size_t unknowns, GradientSteps work)
    : work_(work),
      variates_(clients, std::vector<double>(unknowns, 0.0)),
      mean_variate_(unknowns, 0.0),
      corrections_(clients, std::vector<double>(unknowns, 0.0)) {
  work_.loss = GradientSteps::Loss::Sum;
}

Request Scaffold::request(RoundIndex, std::span<const double> x) {
  for (std::size_t i = 0; i < variates_.size(); ++i) {
    corrections_[i] = mean_variate_;
    axpy(-1.0, variates_[i], corrections_[i]);
  }
  return {work_, x, corrections_};
}

void Scaffold::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  const std::span replies = round.replies;
  if (replies.empty()) return;
  const double share = 1.0 / static_cast<double>(replies.size()), of_all = 1.0 / static_cast<double>(variates_.size());
  const double per_step = 1.0 / (static_cast<double>(work_.count) * work_.step);
  for (const LocalReply& reply : replies) {
    const std::size_t i = reply.client.value;
    axpy(share, reply.values, x);
    std::vector<double> change(x.size(), 0.0);  // of c_i: -c - Delta_i / (K step), where the correction is c - c_i
    axpy(-1.0, corrections_[i], change);
    axpy(-per_step, reply.values, change);
    axpy(-1.0, variates_[i], change);
    axpy(1.0, change, variates_[i]);
    axpy(of_all, change, mean_variate_);
  }
}

}  // namespace fedrk
