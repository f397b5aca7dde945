// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/anderson.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kAstray = 2.0;  // times the shortest residual

}  // namespace

std::vector<double> Anderson::next(std::span<const double> point, std::span<const double> image) {
  Pair pair{{image.begin(), image.end()}, {image.begin(), image.end()}};
  axpy(-1.0, point, pair.residual);
  const double length = std::sqrt(squared_norm(pair.residual));
  if (length > kAstray * shortest_) pairs_.clear();
  shortest_ = std::min(shortest_, length);
  pairs_.push_back(std::move(pair));
  if (pairs_.size() > depth_ + 1) pairs_.pop_front();
  const Pair& last = pairs_.back();
  const auto earlier = static_cast<Eigen::Index>(pairs_.size() - 1);
  if (earlier == 0) return last.image;

  const auto n = static_cast<Eigen::Index>(image.size());
  const auto as_vector = [n](const std::vector<double>& v) { return Eigen::Map<const Eigen::VectorXd>(v.data(), n); };
  Eigen::MatrixXd differences = Eigen::MatrixXd::Zero(n + earlier, earlier);
  for (Eigen::Index k = 0; k < earlier; ++k) {
    differences.col(k).head(n) = as_vector(last.residual) - as_vector(pairs_[static_cast<std::size_t>(k)].residual);
  }
  const double size = differences.norm();
  if (size == 0.0) return last.image;
  differences.bottomRows(earlier).diagonal().setConstant(damping_ * size);
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(n + earlier);
  wanted.head(n) = as_vector(last.residual);
  // Points that have come close to each other say nothing new.
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(differences);
  qr.setThreshold(1e-8);
  const Eigen::VectorXd shares = qr.solve(wanted);

  std::vector<double> next = last.image;
  for (Eigen::Index k = 0; k < earlier; ++k) {
    axpy(-shares[k], last.image, next);
    axpy(shares[k], pairs_[static_cast<std::size_t>(k)].image, next);
  }
  return next;
}

}  // namespace fedrk
