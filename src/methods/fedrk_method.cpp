// SPDX-License-Identifier: Apache-2.0
#include "methods/fedrk_method.hpp"

#include "fedrk/run.hpp"
#include "round/hyperplane.hpp"

namespace fedrk {

FedrkMethod::FedrkMethod(const RunOptions& options)
    : seed_(options.seed),
      work_(work_of(options.local_budget)),
      server_(options.server_budget, options.server_sampling),
      threshold_(options.sparsity),
      noise_columns_(options.noise_columns) {}

Request FedrkMethod::request(RoundIndex, std::span<const double> x) { return {work_, x}; }

void FedrkMethod::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  const auto planes = hyperplanes_from(round.replies);
  server_.project(planes, stream_for(seed_, Purpose::ServerSteps, t), x);
  threshold_.apply(x.first(x.size() - noise_columns_));
}

}  // namespace fedrk
