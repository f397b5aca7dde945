// SPDX-License-Identifier: Apache-2.0
#include "fedrk/site.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "fedrk/contracts.hpp"
#include "fedrk/error.hpp"
#include "kaczmarz/clipped_pass.hpp"
#include "kaczmarz/soft_threshold.hpp"
#include "linalg/kernels.hpp"
#include "problem/clipped_products.hpp"
#include "problem/cross_products.hpp"
#include "problem/frame_products.hpp"
#include "round/row_work.hpp"
#include "round/task_rows.hpp"

namespace fedrk {
namespace {

// A step divides by the square of its row's length, of which a few columns may leave too little.
void check_lengths(const RowBlock& part) {
  const auto squares = part.squared_norms();
  if (static_cast<std::size_t>(std::ranges::count(squares, 0.0)) == part.zero_rows()) return;
  throw InvalidArgument("a row is too small in the chosen columns to be squared: no step can be made on it");
}

}  // namespace

Client::Impl::Impl(ClientId id_given, std::string name_given, RowBlock block, std::uint64_t seed_given,
                   StepOptions steps, std::optional<Frame> frame_given)
    : id(id_given),
      name(std::move(name_given)),
      seed(seed_given),
      all(std::move(block), steps),
      frame(std::move(frame_given)) {
  const std::size_t rows = all.block().rows();
  if (!steps.needs_gram() || steps.gram_fits(rows)) return;
  throw InvalidArgument(name + ": the inner products of " + std::to_string(rows) +
                        " rows do not fit the memory that steps in coefficient space were given");
}

Client::Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps)
    : impl_(std::make_unique<Impl>(id, std::move(name), std::move(block), seed, steps, std::nullopt)) {}
Client::Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps, Frame frame)
    : impl_(std::make_unique<Impl>(id, std::move(name), std::move(block), seed, steps, std::move(frame))) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

const RowBlock& Client::block() const { return impl_->all.block(); }

ClientSummary Client::summary() const {
  double squared_norm = 0.0;
  for (const double square : block().squared_norms()) squared_norm += square;
  return {impl_->id, impl_->name, block().rows(), block().squared_rhs_norm(), squared_norm};
}

LocalReply Client::local_update(const LocalTask& task) {
  FEDRK_EXPECTS(task.x.size() == impl_->solver_for(task).block().cols() || !needs_x(task.work));
  LocalReply reply{impl_->id, {}};
  const bool in_one_pass = std::holds_alternative<Gradient>(task.work);
  if (task.report_residual && !in_one_pass) reply.squared_residual = impl_->residual_of_answer(task);
  TaskRows rows(*this, task);
  std::visit([&](const auto& work) { question::about(work).answer(work, rows, reply); }, task.work);
  return reply;
}

LocalSolver& Client::Impl::solver_for(const LocalTask& task) {
  if (task.columns.empty()) return all;
  if (!part || !std::ranges::equal(part->columns, task.columns)) {
    part = Part{{task.columns.begin(), task.columns.end()},
                LocalSolver(RowBlock(restrict_to(all.block().system(), task.columns), RowUse::Sums), all.options()),
                frame ? std::optional(restrict_to(*frame, task.columns)) : std::nullopt};
  }
  if (has_trait(task.work, kSteps)) check_lengths(part->solver.block());
  return part->solver;
}

const Frame* Client::Impl::frame_for(const LocalTask& task) {
  if (!frame) return nullptr;
  if (task.columns.empty()) return &*frame;
  (void)solver_for(task);
  return &*part->frame;
}

double Client::Impl::residual_of_answer(const LocalTask& task) {
  AlignedVector answer = aligned_copy(task.x);
  if (const auto* sparse = std::get_if<SparseSteps>(&task.work)) soft_threshold(task.x, sparse->lambda, answer);
  std::fill_n(answer.rbegin(), task.noise_columns, 0.0);
  if (!frame && task.columns.empty()) return squared_residual(all.block().system(), answer);
  double squared = 0.0;
  (void)gradient(solver_for(task).block().system(), frame_for(task), answer, &squared);
  return squared;
}

// ---- The answer to each kind of question (question.hpp), from the rows of a client.

// ---- Kaczmarz steps.

void answer(const FixedSteps& steps, TaskRows& rows, LocalReply& reply) {
  if (steps.count > 0) reply.values = rows.solver().displacement(steps, rows.stream(), rows.x());
}

void answer(const ExactProjection& projection, TaskRows& rows, LocalReply& reply) {
  reply.values = rows.solver().displacement(projection, rows.stream(), rows.x());
}

void answer(const CutSteps& steps, TaskRows& rows, LocalReply& reply) {
  double gap = 0.0;
  reply.values = rows.solver().displacement(steps.budget, rows.stream(), rows.x(), &gap);
  reply.gap = gap;
}

void answer(const SparseSteps& steps, TaskRows& rows, LocalReply& reply) {
  double gap = 0.0;
  reply.values = rows.solver().sparse_displacement(steps.budget, steps.lambda, rows.stream(), rows.x(), gap);
  reply.gap = gap;
}

// ---- What the other methods ask for.

void answer(const GradientSteps& steps, TaskRows& rows, LocalReply& reply) {
  reply.values = aligned_copy(rows.x());
  gradient_steps(steps, rows.block(), rows.own(), rows.stream(), reply.values);
  axpy(-1.0, rows.x(), reply.values);
}

void answer(const Gradient&, TaskRows& rows, LocalReply& reply) {
  double squared_residual = 0.0;
  reply.values = gradient(rows.system(), rows.frame(), rows.x(), &squared_residual);
  if (rows.task().report_residual) reply.squared_residual = squared_residual;
}
void answer(const NormalProduct&, TaskRows& rows, LocalReply& reply) {
  reply.values = normal_product(rows.system(), rows.frame(), rows.x());
}
void answer(const CrossProducts& work, TaskRows& rows, LocalReply& reply) {
  const LinearSystem& system = rows.system();
  if (!work.pairs) {
    reply.values = cross_products(system, rows.frame());
    return;
  }
  const AlignedVector pairs = cross_product_pairs(system, rows.frame());  // high parts, then low ones
  const std::size_t count = pairs.size() / 2;
  reply.values.resize(pairs.size());
  for (std::size_t k = 0; k < count; ++k) {
    reply.values[2 * k] = pairs[k];
    reply.values[2 * k + 1] = pairs[count + k];
  }
}
void answer(const Curvature&, TaskRows& rows, LocalReply& reply) { reply.values = {curvature(rows.block())}; }
void answer(const ColumnNorms&, TaskRows& rows, LocalReply& reply) { reply.values = column_norms(rows.block()); }
void answer(const ColumnSquares& work, TaskRows& rows, LocalReply& reply) {
  reply.values = {column_norms(rows.block())[work.column]};
}
void answer(const AllRows&, TaskRows& rows, LocalReply& reply) { reply.values = pack_rows(rows.system()); }

// ---- Differential privacy.

void answer(const ClippedPass& pass, TaskRows& rows, LocalReply& reply) {
  reply.values = clipped_displacement(pass, rows.block(), rows.x(), rows.stream(Purpose::PassOrder));
  RngStream noise = rows.stream(Purpose::PrivacyNoise);
  put_on_noisy_grid({pass.noise, pass.exponent}, rows.task().gaussians, noise, reply.values);
}

void answer(const NoisyProducts& work, TaskRows& rows, LocalReply& reply) {
  reply.values = clipped_products(work, rows.system());
  RngStream noise = rows.stream(Purpose::PrivacyNoise);
  put_on_noisy_grid({work.noise, work.exponent}, rows.task().gaussians, noise, reply.values);
}

}  // namespace fedrk
