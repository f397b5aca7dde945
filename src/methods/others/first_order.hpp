// SPDX-License-Identifier: Apache-2.0
#pragma once

// Methods that move x by means of what the clients send: averaging, gradient descent, SCAFFOLD.

#include <cstddef>
#include <vector>

#include "fedrk/method.hpp"
#include "round/server_step.hpp"

namespace fedrk {

// Federated averaging: x moves by the mean of the participants' displacements, each weighted by its number of rows.
// What the clients do locally makes it
//
//   FedAvg               gradient steps            (McMahan, Moore, Ramage, Hampson, Aguera y Arcas 2017)
//   FedProx              with a proximal term      (Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith 2020)
//   FedAvg of local RK   Kaczmarz steps: the local half of FedRK without its server

class Averaging final : public Method {
 public:
  Averaging(std::span<const ClientSummary> roster, LocalWork work);

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;

 private:
  std::vector<double> weights_;  // m_i
  LocalWork work_;
};

// Gradient descent on the whole problem, x <- T_s(x + step sum_i A_i^T (b_i - A_i x)): every client sends its gradient.
// With s > 0 it is iterative hard thresholding (Blumensath and Davies 2009), the classical way to a sparse solution.
// It needs all clients: a round in which one is missing moves by the mean of the others, scaled up.

class GradientDescent final : public Method {
 public:
  GradientDescent(std::size_t clients, double step, std::size_t sparsity = 0)
      : clients_(clients), step_(step), threshold_(sparsity) {}

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;

 private:
  std::size_t clients_;
  double step_;
  Threshold threshold_;
};

// SCAFFOLD (Karimireddy, Kale, Mohri, Reddi, Stich, Suresh 2020): gradient steps whose drift towards the client's own
// minimum is corrected by control variates. With c_i for client i and c their mean, a participant makes K steps
//
//     y <- y - step (grad f_i(y) - c_i + c),        c_i <- c_i - c + (x - y) / (K step),
//
// and x moves by the mean of the y - x. As the new c_i follows from y - x, the server keeps all c_i itself and sends
// c - c_i beside x: the client holds no state, and the message up is one vector in place of two. The losses are the
// clients' sums of squares, so that their plain mean is the whole problem however many rows each holds.

class Scaffold final : public Method {
 public:
  /// `work` says how many steps, how long, and on how many rows each.
  Scaffold(std::size_t clients, std::size_t unknowns, GradientSteps work);

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;

 private:
  GradientSteps work_;
  std::vector<std::vector<double>> variates_;     // c_i
  std::vector<double> mean_variate_;              // c
  std::vector<std::vector<double>> corrections_;  // c - c_i
};

}  // namespace fedrk
