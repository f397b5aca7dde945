// SPDX-License-Identifier: Apache-2.0
#include "mpi/task_codec.hpp"

#include <utility>

#include "fedrk/base/contracts.hpp"

namespace fedrk::mpi {
namespace {

// ---- Each kind of work: all that it says, and the same in the same order back.

void put(const FixedSteps& steps, ByteWriter& out) { out.put(steps.count); }
void get(FixedSteps& steps, ByteReader& in) { steps.count = in.get<std::uint64_t>(); }

template <class Nothing>
requires std::is_empty_v<Nothing>
void put(const Nothing&, ByteWriter&) {}
template <class Nothing>
requires std::is_empty_v<Nothing>
void get(Nothing&, ByteReader&) {}

void put(const ValidSteps& steps, ByteWriter& out);
void get(ValidSteps& steps, ByteReader& in);

void put(const SparseSteps& steps, ByteWriter& out) {
  put(steps.budget, out);
  out.put(steps.lambda);
}
void get(SparseSteps& steps, ByteReader& in) {
  get(steps.budget, in);
  steps.lambda = in.get<double>();
}

void put(const GradientSteps& steps, ByteWriter& out) {
  out.put(steps.count);
  out.put(steps.step);
  out.put(steps.proximal);
  out.put(static_cast<std::uint8_t>(steps.loss));
  out.put(steps.batch);
}
void get(GradientSteps& steps, ByteReader& in) {
  steps.count = in.get<std::uint64_t>();
  steps.step = in.get<double>();
  steps.proximal = in.get<double>();
  steps.loss = static_cast<GradientSteps::Loss>(in.get<std::uint8_t>());
  steps.batch = in.get<std::uint64_t>();
}

void put(const ClippedPass& pass, ByteWriter& out) {
  out.put(pass.steps);
  out.put(pass.clip);
  out.put(pass.noise);
  out.put(pass.exponent);
}
void get(ClippedPass& pass, ByteReader& in) {
  pass.steps = in.get<std::uint64_t>();
  pass.clip = in.get<double>();
  pass.noise = in.get<double>();
  pass.exponent = in.get<std::int32_t>();
}

// ---- A choice among kinds: its number, then what it says.

template <class... Kinds>
void put_choice(const std::variant<Kinds...>& choice, ByteWriter& out) {
  out.put(static_cast<std::uint8_t>(choice.index()));
  std::visit([&](const auto& chosen) { put(chosen, out); }, choice);
}

template <class... Kinds>
void get_choice(std::variant<Kinds...>& choice, ByteReader& in) {
  const std::size_t index = in.get<std::uint8_t>();
  std::size_t kind = 0;
  (void)((kind++ == index ? (choice = Kinds{}, true) : false) || ...);
  std::visit([&](auto& chosen) { get(chosen, in); }, choice);
}

void put(const ValidSteps& steps, ByteWriter& out) { put_choice(steps.budget, out); }
void get(ValidSteps& steps, ByteReader& in) { get_choice(steps.budget, in); }

}  // namespace

void put_task(const LocalTask& task, std::span<const ClientId> participants, std::size_t clients, ByteWriter& out) {
  FEDRK_EXPECTS(!task.fresh_draws && task.gaussians.empty());
  out.put(task.round.value);
  put_choice(task.work, out);
  out.put(static_cast<std::uint8_t>(task.report_residual));
  out.put(static_cast<std::uint8_t>(task.reveal));
  out.put(std::uint64_t{task.noise_columns});
  out.put(std::uint64_t{participants.size()});
  if (participants.size() < clients) {
    for (const ClientId client : participants) out.put(client.value);
  }
  out.put(static_cast<std::uint8_t>(!task.own.empty()));
  if (!task.own.empty()) {
    for (const ClientId client : participants) out.put(std::span<const double>(task.own[client.value]));
  }
  out.put(task.columns);
  out.put(std::uint64_t{task.x.size()});
  if (task.x.size() <= kLongVector) out.put(task.x);
}

void ArrivedTask::read(ByteReader& in) {
  task_ = {};
  task_.round = RoundIndex{in.get<std::uint32_t>()};
  get_choice(task_.work, in);
  task_.report_residual = in.get<std::uint8_t>() != 0;
  task_.reveal = static_cast<Reveal>(in.get<std::uint8_t>());
  task_.noise_columns = in.get<std::uint64_t>();
  participants_.resize(in.get<std::uint64_t>());
  const bool everyone = participants_.size() == clients_;
  for (std::uint32_t k = 0; k < participants_.size(); ++k) {
    participants_[k] = ClientId{everyone ? k : in.get<std::uint32_t>()};
  }
  if (in.get<std::uint8_t>() != 0) {
    own_.resize(clients_);
    for (const ClientId client : participants_) in.get(own_[client.value]);
    task_.own = own_;
  }
  in.get(columns_);
  x_.resize(in.get<std::uint64_t>());
  if (x_.size() <= kLongVector) in.get(x_);
  FEDRK_EXPECTS(in.complete());
  task_.columns = columns_;
  task_.x = x_;
}

}  // namespace fedrk::mpi
