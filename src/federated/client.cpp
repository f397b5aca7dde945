// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/client.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fedrk/base/contracts.hpp"
#include "fedrk/base/error.hpp"
#include "fedrk/federated/soft_threshold.hpp"
#include "fedrk/problem/frame_products.hpp"

namespace fedrk {
namespace {

// A step divides by the square of its row's length, of which a few columns may leave too little.
void check_lengths(const RowBlock& part) {
  const auto squares = part.squared_norms();
  if (static_cast<std::size_t>(std::ranges::count(squares, 0.0)) == part.zero_rows()) return;
  throw InvalidArgument("a row is too small in the chosen columns to be squared: no step can be made on it");
}

}  // namespace

Client::Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps,
               std::optional<Frame> frame)
    : id_(id), name_(std::move(name)), seed_(seed), all_(std::move(block), steps), frame_(std::move(frame)) {
  if (steps.needs_gram() && !steps.gram_fits(all_.block().rows())) {
    throw InvalidArgument(name_ + ": the inner products of " + std::to_string(all_.block().rows()) +
                          " rows do not fit the memory that steps in coefficient space were given");
  }
}

ClientSummary Client::summary() const {
  double squared_norm = 0.0;
  for (const double square : block().squared_norms()) squared_norm += square;
  return {id_, name_, block().rows(), block().squared_rhs_norm(), squared_norm};
}

LocalReply Client::local_update(const LocalTask& task) {
  FEDRK_EXPECTS(task.x.size() == solver_for(task).block().cols() || !needs_x(task.work));
  LocalReply reply{id_, {}};
  const bool in_one_pass = std::holds_alternative<Gradient>(task.work);
  if (task.report_residual && !in_one_pass) reply.squared_residual = residual_of_answer(task);
  TaskRows rows(*this, task);
  std::visit([&](const auto& work) { question::about(work).answer(work, rows, reply); }, task.work);
  return reply;
}

LocalSolver& Client::solver_for(const LocalTask& task) {
  if (task.columns.empty()) return all_;
  if (!part_ || !std::ranges::equal(part_->columns, task.columns)) {
    part_ = Part{{task.columns.begin(), task.columns.end()},
                 LocalSolver(RowBlock(restrict_to(block().system(), task.columns), RowUse::Sums), all_.options()),
                 frame_ ? std::optional(restrict_to(*frame_, task.columns)) : std::nullopt};
  }
  if (has_trait(task.work, kSteps)) check_lengths(part_->solver.block());
  return part_->solver;
}

const Frame* Client::frame_for(const LocalTask& task) {
  if (!frame_) return nullptr;
  if (task.columns.empty()) return &*frame_;
  (void)solver_for(task);
  return &*part_->frame;
}

double Client::residual_of_answer(const LocalTask& task) {
  AlignedVector answer = aligned_copy(task.x);
  if (const auto* sparse = std::get_if<SparseSteps>(&task.work)) soft_threshold(task.x, sparse->lambda, answer);
  std::fill_n(answer.rbegin(), task.noise_columns, 0.0);
  if (!frame_ && task.columns.empty()) return squared_residual(block().system(), answer);
  double squared = 0.0;
  (void)gradient(solver_for(task).block().system(), frame_for(task), answer, &squared);
  return squared;
}

}  // namespace fedrk
