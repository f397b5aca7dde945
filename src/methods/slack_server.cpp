// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/slack_server.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Dense>

#include "fedrk/federated/private_slack.hpp"
#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

struct Independent {
  std::vector<Eigen::Index> kept;  // falling
  Eigen::MatrixXd factor;          // of Cholesky, of their inner products in that order
};

// Of normals of length one those that newer ones do not make superfluous. With more normals than the clients have
// equations there always are such, and what is left of them outside the others is rounding: taken for an equation of
// its own, it would ruin x.
Independent newest_independent(const Eigen::MatrixXd& products) {
  using Eigen::Index;
  constexpr double kApart = 1e-10;  // squared; inner products know 1e-16 of it
  const Index count = products.rows();
  Independent result{{}, Eigen::MatrixXd::Zero(count, count)};
  Index size = 0;
  for (Index p = count - 1; p >= 0; --p) {
    Eigen::VectorXd within = products(result.kept, p);
    result.factor.topLeftCorner(size, size).triangularView<Eigen::Lower>().solveInPlace(within);
    const double apart = products(p, p) - within.squaredNorm();
    if (!(apart > kApart)) continue;
    result.factor.row(size).head(size) = within;
    result.factor(size, size) = std::sqrt(apart);
    result.kept.push_back(p);
    ++size;
  }
  result.factor.conservativeResize(size, size);
  return result;
}

}  // namespace

SlackServer::SlackServer(const SlackOptions& options, std::span<const ClientSummary> roster)
    : options_(options), told_(roster.size()), news_(roster.size(), SlackNews{}.packed()) {
  for (const ClientSummary& client : roster) rows_.push_back(client.rows);
  const RosterTotals totals = totals_of(roster);
  all_rows_ = totals.rows;
  size_ = std::sqrt(totals.squared_rhs_norm);
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
  std::erase_if(recent_, [&](const auto& client) { return t.value - client.second > options_.memory; });
}

void SlackServer::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (round.answered.empty()) return;
  double squares = 0.0, rows = 0.0;
  for (const LocalReply& reply : round.replies) squares += reply.slack->squared_gaps;
  for (const ClientId client : round.answered) rows += static_cast<double>(rows_[client.value]);
  gap_ = rows > 0.0 ? std::sqrt(squares / rows * all_rows_) : 0.0;
  if (!std::exchange(begun_, true)) size_ = std::max(size_, gap_);

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

// Those who answered have heard what they were told, and share in the new planes; where nobody moved, they still are
// told of the round, by which others see that they were in it.
void SlackServer::take_note(const RoundReplies& round, RoundIndex t) {
  for (const ClientId client : round.answered) {
    Told& told = told_[client.value];
    told.known = true;
    std::erase_if(told.open, [&](const Open& open) { return !std::ranges::binary_search(stored_, open.round); });
    const auto own = std::ranges::find_if(window_, [&](const Plane& plane) {
      return plane.round == t.value && (!plane.client || *plane.client == client);
    });
    told.open.push_back({t.value, own == window_.end() ? std::make_shared<double>(0.0) : own->total});
  }
  for (const ClientId client : round.answered) recent_[client] = t.value;
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

void SlackServer::drop(std::size_t p) {
  const auto place = static_cast<std::ptrdiff_t>(p);
  window_.erase(window_.begin() + place);
  for (std::size_t q = p; q < window_.size(); ++q) window_[q].products.erase(window_[q].products.begin() + place);
}

// A direction so short that it would have to be gone many times is one of rounding: steps of clients that had nothing
// left to do. `way` is how far each plane, the newest first, is to be gone along. True where there was one.
bool SlackServer::drop_noise(std::span<const double> way) {
  const std::size_t count = window_.size();
  bool dropped = false;
  for (std::size_t k = 0; k < count; ++k) {  // from the last to the first
    const Plane& plane = window_[count - 1 - k];
    const double total = *plane.total + way[k] / std::sqrt(plane.products.back());
    if (std::abs(total) <= SlackNews::kLargestTotal) continue;
    drop(count - 1 - k);
    dropped = true;
  }
  return dropped;
}

void SlackServer::project(std::span<double> x) {
  using Eigen::Index;
  const auto scaled_products = [this] {  // of the normals scaled to length one
    const auto count = static_cast<Index>(window_.size());
    Eigen::MatrixXd products(count, count);
    for (Index p = 0; p < count; ++p) {
      const Plane& one = window_[static_cast<std::size_t>(p)];
      for (Index q = 0; q <= p; ++q) {
        const Plane& two = window_[static_cast<std::size_t>(q)];
        const double product = one.products[static_cast<std::size_t>(q)];
        products(p, q) = products(q, p) = product / std::sqrt(one.products.back()) / std::sqrt(two.products.back());
      }
    }
    return products;
  };
  Eigen::MatrixXd products = scaled_products();
  const auto [kept, factor] = newest_independent(products);
  for (Index p = products.rows() - 1, k = 0; p >= 0; --p) {
    if (k < std::ssize(kept) && kept[static_cast<std::size_t>(k)] == p) {
      ++k;
    } else {
      drop(static_cast<std::size_t>(p));
    }
  }
  products = Eigen::MatrixXd(products(kept, kept));  // newest first from here on
  const auto count = std::ssize(kept);
  const auto plane_at = [&](Index k) -> Plane& { return window_[static_cast<std::size_t>(count - 1 - k)]; };
  Eigen::VectorXd gaps(count);
  for (Index k = 0; k < count; ++k) gaps[k] = plane_at(k).gap / std::sqrt(plane_at(k).products.back());
  Eigen::VectorXd way = gaps;
  factor.triangularView<Eigen::Lower>().solveInPlace(way);
  factor.transpose().triangularView<Eigen::Upper>().solveInPlace(way);
  if (drop_noise({way.data(), static_cast<std::size_t>(count)})) return project(x);
  const Eigen::VectorXd left = gaps - products * way;
  for (Index k = 0; k < count; ++k) {
    Plane& plane = plane_at(k);
    const double length = std::sqrt(plane.products.back());
    axpy(way[k] / length, plane.normal, x);
    *plane.total += way[k] / length;
    plane.gap = left[k] * length;
  }
  for (const auto& [client, round] : recent_) write_news(client);
}

}  // namespace fedrk
