// SPDX-License-Identifier: Apache-2.0

// The far end of MpiEngine.

#include <utility>

#include "fedrk/mpi/mpi_engine.hpp"
#include "mpi/command.hpp"
#include "mpi/opening.hpp"
#include "mpi/rank_round.hpp"
#include "mpi/task_codec.hpp"

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
        case Command::ReadSlack:
          read_slack(in);
          break;
        case Command::RestoreSlack:
          restore_slack(in);
          break;
        case Command::Stop:
          return;
      }
    }
  }

 private:
  bool is_mine(ClientId client) const { return layout_.rank_of(client) == ranks_.rank(); }

  void read_slack(ByteReader& in) {
    const ClientId client{in.get<std::uint32_t>()};
    if (!is_mine(client)) return;
    ByteWriter out;
    out.put(std::span<const double>(clients_.slack_state(client)));
    ranks_.send(0, out.bytes());
  }

  void restore_slack(ByteReader& in) {
    const ClientId client{in.get<std::uint32_t>()};
    if (!is_mine(client)) return;
    std::vector<double> state;
    in.get(state);
    ByteWriter out;
    put_failure(failure_of([&] { clients_.restore_slack(client, state); }), out);
    ranks_.send(0, out.bytes());
  }

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
