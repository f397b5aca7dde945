// SPDX-License-Identifier: Apache-2.0
#include "fedrk/mpi.hpp"

#include <string>
#include <utility>

#include "fedrk/contracts.hpp"
#include "fedrk/error.hpp"
#include "transport/mpi/arrived_task.hpp"
#include "transport/mpi/command.hpp"
#include "transport/mpi/opening.hpp"
#include "transport/mpi/rank_round.hpp"

namespace fedrk::mpi {

struct MpiEngine::Impl {
  const Ranks& ranks;
  ClientGroup clients;
  Opening opening;
  Announcements announcements;
};

MpiEngine::MpiEngine(const Ranks& ranks, ClientGroup clients) {
  FEDRK_EXPECTS(ranks.rank() == 0);
  Opening opening = open(ranks, clients);
  if (!opening.problem.empty()) throw InvalidArgument(opening.problem);
  impl_.reset(new Impl{ranks, std::move(clients), std::move(opening), {}});
}

MpiEngine::~MpiEngine() { impl_->announcements.tell(impl_->ranks, impl_->announcements.begin(Command::Stop)); }

std::span<const ClientSummary> MpiEngine::roster() const { return impl_->opening.roster; }
std::size_t MpiEngine::dimension() const { return impl_->opening.layout.dimension; }

RoundReplies MpiEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  ByteWriter out = impl_->announcements.begin(Command::Round);
  put_task(task, participants, roster().size(), out);
  impl_->announcements.tell(impl_->ranks, std::move(out));
  if (task.x.size() > kLongVector) impl_->ranks.broadcast_from(task.x.data(), task.x.size_bytes());
  return rank_round(impl_->ranks, impl_->opening.layout, impl_->clients, task, participants);
}

}  // namespace fedrk::mpi
