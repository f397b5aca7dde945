// SPDX-License-Identifier: Apache-2.0
#include "store/task_fingerprint.hpp"

#include "store/hash.hpp"

namespace fedrk::store {
namespace {

void add(const FixedSteps& steps, Hash& hash) { hash.add(steps.count); }
void add(const UntilProjected&, Hash&) {}
void add(const StepBudget& budget, Hash& hash) {
  hash.add(std::uint64_t{budget.index()});
  std::visit([&](const auto& steps) { add(steps, hash); }, budget);
}
void add(const ValidSteps& steps, Hash& hash) { add(steps.budget, hash); }
void add(const SparseSteps& steps, Hash& hash) {
  add(steps.budget, hash);
  hash.add(steps.lambda);
}
void add(const GradientSteps& steps, Hash& hash) {
  hash.add(steps.count);
  hash.add(steps.step);
  hash.add(steps.proximal);
  hash.add(static_cast<std::uint64_t>(steps.loss));
  hash.add(steps.batch);
}
void add(const Gradient&, Hash&) {}
void add(const NormalProduct&, Hash&) {}
void add(const GramSum&, Hash&) {}
void add(const Curvature&, Hash&) {}
void add(const ColumnNorms&, Hash&) {}
void add(const AllRows&, Hash&) {}
void add(const ClippedPass& pass, Hash& hash) {
  hash.add(pass.steps);
  hash.add(pass.clip);
  hash.add(pass.noise);
  hash.add(static_cast<std::uint64_t>(std::int64_t{pass.exponent}));
}

}  // namespace

std::uint64_t fingerprint(const LocalTask& task, std::span<const ClientId> participants) {
  Hash hash;
  hash.add(std::uint64_t{task.round.value});
  hash.add(std::uint64_t{task.work.index()});
  std::visit([&](const auto& work) { add(work, hash); }, task.work);
  hash.add(std::uint64_t{task.report_residual});
  hash.add(std::uint64_t{task.noise_columns});
  hash.add(static_cast<std::uint64_t>(task.reveal));
  hash.add(task.x);
  hash.add(std::uint64_t{task.columns.size()});
  for (const std::uint32_t column : task.columns) hash.add(std::uint64_t{column});
  hash.add(std::uint64_t{participants.size()});
  for (const ClientId client : participants) {
    hash.add(std::uint64_t{client.value});
    if (!task.own.empty()) hash.add(std::span<const double>(task.own[client.value]));
  }
  return hash.value();
}

}  // namespace fedrk::store
