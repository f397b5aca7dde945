// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/slack_server.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/QR>

#include "fedrk/federated/private_slack.hpp"
#include "fedrk/linalg/kernels.hpp"

namespace fedrk {

SlackServer::SlackServer(const SlackOptions& options, std::span<const ClientSummary> roster)
    : options_(options), told_(roster.size()), news_(roster.size(), SlackNews{}.packed()) {
  double squares = 0.0;
  for (const ClientSummary& client : roster) {
    rows_.push_back(client.rows);
    all_rows_ += static_cast<double>(client.rows);
    squares += client.squared_rhs_norm;
  }
  size_of_rhs_ = std::sqrt(squares);
}

Request SlackServer::request(RoundIndex t, std::span<const double> x) {
  forget(t, x.size());
  stored_.clear();
  for (const Plane& plane : window_) {
    if (stored_.empty() || stored_.back() != plane.round) stored_.push_back(plane.round);
  }
  return {ValidSteps{options_.local_budget, options_.lambda, stored_}, x, news_, options_.reveal};
}

void SlackServer::forget(RoundIndex t, std::size_t unknowns) {
  const std::size_t most = std::max<std::size_t>(1, options_.memory_limit / (sizeof(double) * (unknowns + 1)));
  while (!window_.empty() && (t.value - window_.front().round > options_.memory || window_.size() > most)) {
    window_.pop_front();
    for (Plane& plane : window_) plane.products.pop_front();
  }
  while (recent_.size() > options_.memory) recent_.pop_front();
}

void SlackServer::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (round.answered.empty()) return;
  double squares = 0.0, rows = 0.0;
  for (const LocalReply& reply : round.replies) squares += reply.slack->squared_gaps;
  for (const ClientId client : round.answered) rows += static_cast<double>(rows_[client.value]);
  gap_ = rows > 0.0 ? std::sqrt(squares / rows * all_rows_) : 0.0;

  for (LocalReply& reply : round.replies) add_plane(t, reply);
  take_note(round, t);
  project(x);
}

void SlackServer::add_plane(RoundIndex t, LocalReply& reply) {
  const SlackScalars& slack = *reply.slack;
  Plane plane{t.value, std::nullopt, std::move(reply.values), *reply.gap, {}, std::make_shared<double>(0.0)};
  if (options_.reveal == Reveal::Updates) plane.client = reply.client;
  for (const Plane& other : window_) {
    double product = dot(other.normal, plane.normal);
    const auto place = std::ranges::lower_bound(stored_, other.round);
    const bool shares_slack = place != stored_.end() && *place == other.round && other.client == plane.client;
    if (shares_slack) product += slack.products[static_cast<std::size_t>(place - stored_.begin())];
    plane.products.push_back(product);
  }
  const double square = squared_norm(plane.normal) + slack.products.back();
  if (square < std::numeric_limits<double>::min()) return;  // nobody moved
  plane.products.push_back(square);
  window_.push_back(std::move(plane));
}

// Those who answered have heard what they were told, and share in the new planes.
void SlackServer::take_note(const RoundReplies& round, RoundIndex t) {
  for (const ClientId client : round.answered) {
    Told& told = told_[client.value];
    told.known = true;
    std::erase_if(told.open, [&](const Open& open) { return !std::ranges::binary_search(stored_, open.round); });
    for (const Plane& plane : window_) {
      const bool shares = plane.round == t.value && (!plane.client || *plane.client == client);
      if (shares) told.open.push_back({t.value, plane.total});
    }
  }
  recent_.push_back(round.answered);
}

void SlackServer::write_news(ClientId client) {
  SlackNews news{told_[client.value].known, {}};
  for (const Open& open : told_[client.value].open) news.factors.push_back({open.round, *open.total});
  news_[client.value] = news.packed();
}

void SlackServer::shift(std::span<const double> way, std::span<double> x) {
  axpy(1.0, way, x);
  for (Plane& plane : window_) plane.gap -= dot(plane.normal, way);
  project(x);
}

void SlackServer::project(std::span<double> x) {
  using Eigen::Index;
  const auto count = static_cast<Index>(window_.size());
  if (count == 0) return;
  Eigen::VectorXd inverse_length(count), gaps(count);
  for (Index p = 0; p < count; ++p) {
    const Plane& plane = window_[static_cast<std::size_t>(p)];
    inverse_length[p] = 1.0 / std::sqrt(plane.products.back());
    gaps[p] = plane.gap * inverse_length[p];
  }
  Eigen::MatrixXd products(count, count);  // of the normals scaled to length one
  for (Index p = 0; p < count; ++p) {
    for (Index q = 0; q <= p; ++q) {
      const double product = window_[static_cast<std::size_t>(p)].products[static_cast<std::size_t>(q)];
      products(p, q) = products(q, p) = product * inverse_length[p] * inverse_length[q];
    }
  }
  // Normals that depend on each other, up to rounding, count once.
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(products);
  qr.setThreshold(1e-13);
  const Eigen::VectorXd way = qr.solve(gaps);
  const Eigen::VectorXd left = gaps - products * way;
  for (Index p = 0; p < count; ++p) {
    Plane& plane = window_[static_cast<std::size_t>(p)];
    const double factor = way[p] * inverse_length[p];
    axpy(factor, plane.normal, x);
    *plane.total += factor;
    plane.gap = left[p] / inverse_length[p];
  }
  for (const auto& clients : recent_) {
    for (const ClientId client : clients) write_news(client);
  }
}

}  // namespace fedrk
