// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/client.hpp"

#include <algorithm>
#include <utility>

#include "fedrk/kaczmarz/randomized_kaczmarz.hpp"

namespace fedrk {

Client::Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, RowSampling sampling)
    : id_(id),
      name_(std::move(name)),
      block_(std::move(block)),
      seed_(seed),
      sampler_(RowSampler::make(sampling, block_.squared_norms())) {}

ClientSummary Client::summary() const { return {id_, name_, block_.rows(), block_.squared_rhs_norm()}; }

LocalReply Client::local_update(const LocalTask& task) {
  FEDRK_EXPECTS(task.x.size() == block_.cols());
  LocalReply reply{{id_, {}}, std::nullopt};
  if (task.report_residual) reply.squared_residual = residual_of_answer(task);
  if (task.budget == StepBudget{FixedSteps{0}}) return reply;

  std::vector<double> x(task.x.begin(), task.x.end());
  if (const auto* steps = std::get_if<FixedSteps>(&task.budget)) {
    run_steps(*steps, task.round, x);
  } else {
    project_exactly(x);
  }
  axpy(-1.0, task.x, x);
  reply.displacement.delta = std::move(x);
  return reply;
}

double Client::residual_of_answer(const LocalTask& task) const {
  if (task.noise_columns == 0) return squared_residual(block_.system(), task.x);
  std::vector<double> answer(task.x.begin(), task.x.end());
  std::fill_n(answer.rbegin(), task.noise_columns, 0.0);
  return squared_residual(block_.system(), answer);
}

void Client::run_steps(FixedSteps steps, RoundIndex round, std::span<double> x) const {
  std::visit(
      [&](const auto& matrix) {
        const EquationRows equations{matrix, block_.system().rhs, block_.squared_norms()};
        randomized_kaczmarz(equations, sampler_, steps.count, stream_for(seed_, Purpose::LocalSteps, round), x);
      },
      block_.system().rows);
}

void Client::project_exactly(std::span<double> x) {
  if (!projection_) {
    std::visit([&](const auto& matrix) { projection_.emplace(matrix, block_.system().rhs); }, block_.system().rows);
  }
  projection_->project(x);
}

}  // namespace fedrk
