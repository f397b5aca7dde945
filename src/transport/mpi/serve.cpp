// SPDX-License-Identifier: Apache-2.0

// The far end of MpiEngine.

#include <utility>

#include "fedrk/mpi.hpp"
#include "transport/mpi/arrived_task.hpp"
#include "transport/mpi/command.hpp"
#include "transport/mpi/opening.hpp"
#include "transport/mpi/rank_round.hpp"

namespace fedrk::mpi {
namespace {

class Server {
 public:
  Server(const Ranks& ranks, ClientGroup& clients, Layout layout)
      : ranks_(ranks), clients_(clients), layout_(std::move(layout)), task_(layout_.clients()) {}

  void serve() {
    while (true) {
      ByteReader in = announcements_.hear(ranks_);
      switch (static_cast<Command>(in.get<std::uint8_t>())) {
        case Command::Round:
          task_.read(in);
          if (const auto x = task_.missing_x(); !x.empty()) ranks_.broadcast(x.data(), x.size_bytes());
          rank_round(ranks_, layout_, clients_, task_.task(), task_.participants());
          break;
        case Command::Stop:
          return;
      }
    }
  }

 private:
  const Ranks& ranks_;
  ClientGroup& clients_;
  Layout layout_;
  ArrivedTask task_;
  Announcements announcements_;
};

}  // namespace

void serve(const Ranks& ranks, ClientGroup clients) {
  Opening opening = open(ranks, clients);
  if (opening.problem.empty()) Server(ranks, clients, std::move(opening.layout)).serve();
}

}  // namespace fedrk::mpi
