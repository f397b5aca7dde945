// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/client.hpp"

#include <algorithm>
#include <utility>

#include "fedrk/federated/pooled_rows.hpp"
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
  FEDRK_EXPECTS(task.x.size() == block_.cols() || !needs_x(task.work));
  LocalReply reply{id_, {}, std::nullopt};
  if (task.report_residual) reply.squared_residual = residual_of_answer(task);
  reply.values = std::visit([&](const auto& work) { return answer(work, task); }, task.work);
  return reply;
}

// ---- Delta_i of the works that move x.

template <class Move>
std::vector<double> Client::displacement(const LocalTask& task, const Move& move) {
  std::vector<double> x(task.x.begin(), task.x.end());
  move(std::span<double>(x));
  axpy(-1.0, task.x, x);
  return x;
}

std::vector<double> Client::answer(const FixedSteps& steps, const LocalTask& task) {
  if (steps.count == 0) return {};
  return displacement(task, [&](std::span<double> x) { run_steps(steps, task.round, x); });
}

std::vector<double> Client::answer(const UntilProjected&, const LocalTask& task) {
  return displacement(task, [&](std::span<double> x) { project_exactly(x); });
}

std::vector<double> Client::answer(const GradientSteps& steps, const LocalTask& task) {
  const std::span<const double> own = task.own.empty() ? std::span<const double>{} : task.own[id_.value];
  return displacement(task, [&](std::span<double> x) {
    gradient_steps(steps, block_, own, stream_for(seed_, Purpose::LocalSteps, task.round), x);
  });
}

// ---- The works that answer with something else.

std::vector<double> Client::answer(const Gradient&, const LocalTask& task) { return gradient(block_, task.x); }
std::vector<double> Client::answer(const NormalProduct&, const LocalTask& task) {
  return normal_product(block_, task.x);
}
std::vector<double> Client::answer(const GramSum&, const LocalTask&) { return gram_sum(block_); }
std::vector<double> Client::answer(const Curvature&, const LocalTask&) { return {curvature(block_)}; }
std::vector<double> Client::answer(const AllRows&, const LocalTask&) { return pack_rows(block_.system()); }

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
