// SPDX-License-Identifier: Apache-2.0
#include "bench/peers.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include <cblas.h>
#include <Eigen/Dense>

namespace fedrk::bench {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using VectorMap = Eigen::Map<Vector>;
using ConstVectorMap = Eigen::Map<const Vector>;

struct EigenSolver::State {
  RowMajor a;
  Vector b, squared_norms;
  std::discrete_distribution<int> draw;
  std::mt19937_64 random{1};
  Vector products;
};

EigenSolver::EigenSolver(const Matrix& matrix, std::span<const double> rhs) : state_(new State) {
  openblas_set_num_threads(1);
  const auto rows = static_cast<Eigen::Index>(matrix.rows()), cols = static_cast<Eigen::Index>(matrix.cols());
  state_->a.resize(rows, cols);
  state_->b = ConstVectorMap(rhs.data(), rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    state_->a.row(i) = ConstVectorMap(matrix.row(static_cast<std::size_t>(i)).data(), cols);
  }
  state_->products.resize(rows);
  prepare();
}

void EigenSolver::prepare() {
  state_->squared_norms = state_->a.rowwise().squaredNorm();
  state_->draw = std::discrete_distribution<int>(state_->squared_norms.begin(), state_->squared_norms.end());
}

EigenSolver::~EigenSolver() { delete state_; }
EigenSolver& EigenSolver::operator=(EigenSolver&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
EigenSolver::EigenSolver(EigenSolver&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

void EigenSolver::steps(std::uint64_t count, std::span<double> x) {
  State& s = *state_;
  VectorMap y(x.data(), static_cast<Eigen::Index>(x.size()));
  for (std::uint64_t k = 0; k < count; ++k) {
    const int j = s.draw(s.random);
    y += (s.b[j] - s.a.row(j).dot(y)) / s.squared_norms[j] * s.a.row(j).transpose();
  }
}

void EigenSolver::blas_steps(std::uint64_t count, std::span<double> x) {
  State& s = *state_;
  const auto n = static_cast<int>(x.size());
  for (std::uint64_t k = 0; k < count; ++k) {
    const int j = s.draw(s.random);
    const double* row = s.a.row(j).data();
    const double by = (s.b[j] - cblas_ddot(n, row, 1, x.data(), 1)) / s.squared_norms[j];
    cblas_daxpy(n, by, row, 1, x.data(), 1);
  }
}

std::vector<double> EigenSolver::pass(std::uint64_t count, std::span<const double> x) {
  std::vector<double> y(x.begin(), x.end());
  steps(count, y);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] -= x[i];
  return y;
}

void EigenSolver::two_products(std::span<const double> x, std::span<double> out) {
  State& s = *state_;
  s.products.noalias() = s.a * ConstVectorMap(x.data(), s.a.cols());
  VectorMap(out.data(), s.a.cols()).noalias() = s.a.transpose() * s.products;
}

void EigenSolver::two_blas_products(std::span<const double> x, std::span<double> out) {
  State& s = *state_;
  const auto m = static_cast<int>(s.a.rows()), n = static_cast<int>(s.a.cols());
  cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1.0, s.a.data(), n, x.data(), 1, 0.0, s.products.data(), 1);
  cblas_dgemv(CblasRowMajor, CblasTrans, m, n, 1.0, s.a.data(), n, s.products.data(), 1, 0.0, out.data(), 1);
}

CsrSolver::CsrSolver(const SparseMatrix& matrix, std::span<const double> rhs) : rhs_(rhs.begin(), rhs.end()) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const SparseRow row = matrix.row(i);
    columns_.insert(columns_.end(), row.columns.begin(), row.columns.end());
    values_.insert(values_.end(), row.values.begin(), row.values.end());
    row_start_.push_back(values_.size());
    squared_norms_.push_back(std::inner_product(row.values.begin(), row.values.end(), row.values.begin(), 0.0));
  }
  draw_ = std::discrete_distribution<std::size_t>(squared_norms_.begin(), squared_norms_.end());
}

void CsrSolver::steps(std::uint64_t count, std::span<double> x) {
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::size_t j = draw_(random_);
    double product = 0.0;
    for (std::size_t e = row_start_[j]; e < row_start_[j + 1]; ++e) product += values_[e] * x[columns_[e]];
    const double by = (rhs_[j] - product) / squared_norms_[j];
    for (std::size_t e = row_start_[j]; e < row_start_[j + 1]; ++e) x[columns_[e]] += by * values_[e];
  }
}

std::size_t plain_fedrk(std::vector<EigenSolver>& clients, std::size_t participants, std::uint64_t local_steps,
                        std::uint64_t server_steps, std::span<const double> truth, double tolerance) {
  const auto n = static_cast<Eigen::Index>(truth.size());
  const ConstVectorMap solution(truth.data(), n);
  std::mt19937_64 random(7);
  std::vector<std::size_t> everyone(clients.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  std::vector<double> x(truth.size(), 0.0);
  VectorMap at(x.data(), n);
  std::size_t rounds = 0;
  for (; (at - solution).norm() > tolerance * solution.norm(); ++rounds) {
    std::shuffle(everyone.begin(), everyone.end(), random);
    std::vector<Vector> normals;
    std::vector<double> offsets, squares;
    for (std::size_t i = 0; i < participants; ++i) {
      const auto delta = clients[everyone[i]].pass(local_steps, x);
      normals.emplace_back(ConstVectorMap(delta.data(), n));
      squares.push_back(normals.back().squaredNorm());
      offsets.push_back(squares.back() + normals.back().dot(at));
    }
    std::uniform_int_distribution<std::size_t> draw(0, participants - 1);
    for (std::uint64_t k = 0; k < server_steps; ++k) {
      const std::size_t j = draw(random);
      at += (offsets[j] - normals[j].dot(at)) / squares[j] * normals[j];
    }
  }
  return rounds;
}

std::vector<double> plain_csv(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::vector<double> numbers;
  while (std::getline(lines, line)) {
    const char* at = line.c_str();
    for (char* end = nullptr;; at = end + 1) {
      numbers.push_back(std::strtod(at, &end));
      if (*end != ',') break;
    }
  }
  return numbers;
}

void blas_cross_products(const Matrix& matrix, std::span<double> out) {
  openblas_set_num_threads(1);
  const auto m = static_cast<int>(matrix.rows()), n = static_cast<int>(matrix.cols());
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, m, 1.0, matrix.row(0).data(), static_cast<int>(matrix.stride()),
              0.0, out.data(), n);
}

double plain_sum(std::span<const double> numbers) {
  return ConstVectorMap(numbers.data(), static_cast<Eigen::Index>(numbers.size())).sum();
}

}  // namespace fedrk::bench
