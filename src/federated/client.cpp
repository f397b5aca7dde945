// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/client.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "fedrk/base/contracts.hpp"
#include "fedrk/base/error.hpp"
#include "fedrk/federated/clipped_pass.hpp"
#include "fedrk/federated/pooled_rows.hpp"
#include "fedrk/federated/soft_threshold.hpp"
#include "fedrk/problem/cross_products.hpp"
#include "fedrk/problem/frame_products.hpp"

namespace fedrk {
namespace {

constexpr double kTurn = 0.2;  // of the way

bool is_varied(const LocalTask& task) { return task.fresh_draws && task.varied; }

void scale(double factor, std::span<double> values) {
  if (factor == 1.0) return;
  for (double& value : values) value *= factor;
}

bool makes_steps(const LocalWork& work) {
  return std::holds_alternative<FixedSteps>(work) || std::holds_alternative<UntilProjected>(work) ||
         std::holds_alternative<ValidSteps>(work) || std::holds_alternative<SparseSteps>(work) ||
         std::holds_alternative<ClippedPass>(work);
}

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
  std::visit([&](const auto& work) { answer(work, task, reply); }, task.work);
  return reply;
}

LocalSolver& Client::solver_for(const LocalTask& task) {
  if (task.columns.empty()) return all_;
  if (!part_ || !std::ranges::equal(part_->columns, task.columns)) {
    part_ = Part{{task.columns.begin(), task.columns.end()},
                 LocalSolver(RowBlock(restrict_to(block().system(), task.columns), RowUse::Sums), all_.options()),
                 frame_ ? std::optional(restrict_to(*frame_, task.columns)) : std::nullopt};
  }
  if (makes_steps(task.work)) check_lengths(part_->solver.block());
  return part_->solver;
}

const Frame* Client::frame_for(const LocalTask& task) {
  if (!frame_) return nullptr;
  if (task.columns.empty()) return &*frame_;
  (void)solver_for(task);
  return &*part_->frame;
}

std::span<const double> Client::own(const LocalTask& task) const {
  return task.own.empty() ? std::span<const double>{} : task.own[id_.value];
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

// ---- Kaczmarz steps.

void Client::answer(const FixedSteps& steps, const LocalTask& task, LocalReply& reply) {
  if (steps.count > 0) reply.values = solver_for(task).displacement(steps, stream(task), task.x);
}

void Client::answer(const UntilProjected& projection, const LocalTask& task, LocalReply& reply) {
  reply.values = solver_for(task).displacement(projection, stream(task), task.x);
}

void Client::answer(const ValidSteps& steps, const LocalTask& task, LocalReply& reply) {
  double gap = 0.0;
  LocalSolver& solver = solver_for(task);
  reply.values = solver.displacement(steps.budget, stream(task), task.x, &gap);
  reply.gap = gap;
  if (!is_varied(task)) return;
  if (std::holds_alternative<UntilProjected>(steps.budget)) turn(solver, task, reply);
  relax(task, reply);
}

// What is sent where answers are to be added up (LocalTask::fresh_draws) must not be the same twice: the difference of
// two sums at the same x would be one client's part. Steps draw their rows; besides, the multiple of a hyperplane's
// normal and gap is the same hyperplane, and the factor is nobody's business.
void Client::relax(const LocalTask& task, LocalReply& reply) const {
  const double factor = relaxation(task);
  scale(factor, reply.values);
  *reply.gap *= factor;
}

double Client::relaxation(const LocalTask& task) const {
  return is_varied(task) ? 1.0 - 0.5 * stream(task, Purpose::Relaxation).uniform() : 1.0;
}

// An exact projection draws nothing, and has one direction at each x. But with p = x + Delta a solution of the client's
// equations, every v in the span of its rows names a hyperplane of all solutions, { z : <v, z - x> = <v, Delta> }. So
// the way there is turned by a random part, a fifth as long: that of a Gaussian vector g which lies in the span, and
// which the projections from x and from x + g tell.
void Client::turn(LocalSolver& solver, const LocalTask& task, LocalReply& reply) const {
  RngStream draws = stream(task, Purpose::Direction);
  AlignedVector aside = aligned_copy(task.x);
  for (double& entry : aside) entry += draws.gaussian();
  AlignedVector within = solver.displacement(UntilProjected{}, draws, task.x);
  axpy(-1.0, solver.displacement(UntilProjected{}, draws, aside), within);
  const AlignedVector way = reply.values;
  const double length = std::sqrt(squared_norm(within));
  if (length > 0.0) axpy(kTurn * std::sqrt(squared_norm(way)) / length, within, reply.values);
  reply.gap = dot(reply.values, way);
}

void Client::answer(const SparseSteps& steps, const LocalTask& task, LocalReply& reply) {
  double gap = 0.0;
  reply.values = solver_for(task).sparse_displacement(steps.budget, steps.lambda, stream(task), task.x, gap);
  reply.gap = gap;
  relax(task, reply);
}

// ---- What the other methods ask for.

void Client::answer(const GradientSteps& steps, const LocalTask& task, LocalReply& reply) {
  reply.values = aligned_copy(task.x);
  gradient_steps(steps, solver_for(task).block(), own(task), stream(task), reply.values);
  axpy(-1.0, task.x, reply.values);
}

void Client::answer(const Gradient&, const LocalTask& task, LocalReply& reply) {
  double squared_residual = 0.0;
  reply.values = gradient(solver_for(task).block().system(), frame_for(task), task.x, &squared_residual);
  if (task.report_residual) reply.squared_residual = squared_residual;
}
void Client::answer(const NormalProduct&, const LocalTask& task, LocalReply& reply) {
  reply.values = normal_product(solver_for(task).block().system(), frame_for(task), task.x);
}
void Client::answer(const CrossProducts& work, const LocalTask& task, LocalReply& reply) {
  const LinearSystem& system = solver_for(task).block().system();
  if (!work.pairs) {
    reply.values = cross_products(system, frame_for(task));
    return;
  }
  const AlignedVector pairs = cross_product_pairs(system, frame_for(task));  // high parts, then low ones
  const std::size_t count = pairs.size() / 2;
  reply.values.resize(pairs.size());
  for (std::size_t k = 0; k < count; ++k) {
    reply.values[2 * k] = pairs[k];
    reply.values[2 * k + 1] = pairs[count + k];
  }
}
void Client::answer(const Curvature&, const LocalTask& task, LocalReply& reply) {
  reply.values = {curvature(solver_for(task).block())};
}
void Client::answer(const ColumnNorms&, const LocalTask& task, LocalReply& reply) {
  reply.values = column_norms(solver_for(task).block());
}
void Client::answer(const AllRows&, const LocalTask& task, LocalReply& reply) {
  reply.values = pack_rows(solver_for(task).block().system());
}

// ---- Differential privacy.

void Client::answer(const ClippedPass& pass, const LocalTask& task, LocalReply& reply) {
  reply.values = clipped_displacement(pass, solver_for(task).block(), task.x, stream(task, Purpose::PassOrder));
  RngStream noise = stream(task, Purpose::PrivacyNoise);
  put_on_noisy_grid(pass, task.gaussians, noise, reply.values);
}

}  // namespace fedrk
