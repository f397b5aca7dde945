// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/client.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fedrk/base/error.hpp"
#include "fedrk/federated/pooled_rows.hpp"
#include "fedrk/kaczmarz/gram_form.hpp"
#include "fedrk/kaczmarz/randomized_kaczmarz.hpp"
#include "fedrk/linalg/gram.hpp"

namespace fedrk {

Client::Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps)
    : id_(id),
      name_(std::move(name)),
      block_(std::move(block)),
      seed_(seed),
      steps_(steps),
      sampler_(RowSampler::make(steps.sampling, block_.squared_norms())) {
  const auto rows = static_cast<double>(block_.rows());
  if (steps.form == LocalForm::Gram && 8.0 * rows * rows > static_cast<double>(steps.gram_memory)) {
    throw InvalidArgument(name_ + ": the inner products of " + std::to_string(block_.rows()) +
                          " rows do not fit the memory that the gram form was given");
  }
}

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
AlignedVector Client::displacement(const LocalTask& task, const Move& move) {
  AlignedVector x = aligned_copy(task.x);
  move(std::span<double>(x));
  axpy(-1.0, task.x, x);
  return x;
}

AlignedVector Client::answer(const FixedSteps& steps, const LocalTask& task) {
  if (steps.count == 0) return {};
  const RngStream stream = stream_for(seed_, Purpose::LocalSteps, task.round);
  const bool in_gram_form = form_for(steps) == LocalForm::Gram;
  return std::visit(
      [&](const auto& matrix) {
        const EquationRows equations{matrix, block_.system().rhs, block_.squared_norms()};
        if (in_gram_form) {
          if (!gram_) gram_ = gram_matrix_of(matrix);
          return gram_displacement(equations, *gram_, sampler_, steps.count, stream, task.x);
        }
        return kaczmarz_displacement(equations, sampler_, steps.count, stream, task.x);
      },
      block_.system().rows);
}

LocalForm Client::form_for(FixedSteps steps) const {
  if (steps_.form != LocalForm::Auto) return steps_.form;
  const LocalShape shape{block_.rows(), block_.entries_per_row(), is_sparse(block_.system().rows)};
  return choose_form(shape, steps.count, steps_.gram_memory);
}

AlignedVector Client::answer(const UntilProjected&, const LocalTask& task) {
  return displacement(task, [&](std::span<double> x) { project_exactly(x); });
}

AlignedVector Client::answer(const GradientSteps& steps, const LocalTask& task) {
  const std::span<const double> own = task.own.empty() ? std::span<const double>{} : task.own[id_.value];
  return displacement(task, [&](std::span<double> x) {
    gradient_steps(steps, block_, own, stream_for(seed_, Purpose::LocalSteps, task.round), x);
  });
}

// ---- The works that answer with something else.

AlignedVector Client::answer(const Gradient&, const LocalTask& task) { return gradient(block_, task.x); }
AlignedVector Client::answer(const NormalProduct&, const LocalTask& task) { return normal_product(block_, task.x); }
AlignedVector Client::answer(const GramSum&, const LocalTask&) { return gram_sum(block_); }
AlignedVector Client::answer(const Curvature&, const LocalTask&) { return {curvature(block_)}; }
AlignedVector Client::answer(const AllRows&, const LocalTask&) { return pack_rows(block_.system()); }

double Client::residual_of_answer(const LocalTask& task) const {
  if (task.noise_columns == 0) return squared_residual(block_.system(), task.x);
  AlignedVector answer = aligned_copy(task.x);
  std::fill_n(answer.rbegin(), task.noise_columns, 0.0);
  return squared_residual(block_.system(), answer);
}

void Client::project_exactly(std::span<double> x) {
  if (!projection_) {
    std::visit([&](const auto& matrix) { projection_.emplace(matrix, block_.system().rhs); }, block_.system().rows);
  }
  projection_->project(x);
}

}  // namespace fedrk
