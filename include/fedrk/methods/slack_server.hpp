// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's half of private slack (private_slack.hpp): the hyperplanes of the extended system and the steps over
// them, in coefficient space, where the slack itself is not needed.
//
// Its normals are (s, sqrt(lambda) y) with s known and y at the clients. All that a projection onto several of them
// takes are their inner products, H_pq = <s_p, s_q> + lambda <y_p, y_q>, and their gaps: H c = gamma, then x += sum c_p
// s_p, and the clients are told c. The second part of H comes from the clients as scalars.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fedrk/federated/method.hpp"

namespace fedrk {

struct SlackOptions {
  double lambda = 0.0;
  StepBudget local_budget = FixedSteps{20};  // tau
  Reveal reveal = Reveal::Sums;
  std::size_t memory = 5;                           // rounds besides the present one
  std::size_t memory_limit = std::size_t{1} << 30;  // bytes
};

class SlackServer {
 public:
  SlackServer(const SlackOptions& options, std::span<const ClientSummary> roster);

  double lambda() const { return options_.lambda; }

  Request request(RoundIndex t, std::span<const double> x);

  /// Moves x to the nearest point of the hyperplanes that it knows, those of this round with them.
  void update(RoundIndex t, RoundReplies& round, std::span<double> x);

  /// Moves x alone by `way`, then to the nearest point of the hyperplanes again.
  void shift(std::span<const double> way, std::span<double> x);

  /// ||b - A x - lambda w|| of all, as the rows of the last round's participants tell it, at its start; and over ||b||,
  /// or over what it was in the beginning where that is more.
  double gap() const { return gap_; }
  double relative_gap() const { return size_ > 0.0 ? gap_ / size_ : gap_; }

 private:
  using Total = std::shared_ptr<double>;  // how far the server went in a direction, in all

  struct Plane {
    std::uint32_t round = 0;
    std::optional<ClientId> client;  // none: of all that took part
    AlignedVector normal;            // s
    double gap = 0.0;
    std::deque<double> products;  // with the planes before it in the window, then with itself
    Total total;
  };
  struct Open {
    std::uint32_t round = 0;
    Total total;
  };
  struct Told {
    bool known = false;
    std::vector<Open> open;  // rounds whose factor may be new to the client
  };

  void forget(RoundIndex t, std::size_t unknowns);
  void add_plane(RoundIndex t, LocalReply& reply);
  void take_note(const RoundReplies& round, RoundIndex t);
  void write_news(ClientId client);
  bool drop_noise(std::span<const double> way);
  void project(std::span<double> x);
  void drop(std::size_t p);

  SlackOptions options_;
  std::vector<std::size_t> rows_;  // of each client
  double all_rows_ = 0.0;
  double size_ = 0.0;  // ||b||, or the first gap
  bool begun_ = false;
  std::deque<Plane> window_;
  std::vector<std::uint32_t> stored_;  // the rounds in the window when the round was asked for
  std::vector<Told> told_;
  std::vector<std::vector<double>> news_;
  std::map<ClientId, std::uint32_t> recent_;  // who took part in a round of the window, and in which last
  double gap_ = 0.0;
};

}  // namespace fedrk
