// SPDX-License-Identifier: Apache-2.0
#pragma once

// SCAFFOLD (Karimireddy, Kale, Mohri, Reddi, Stich, Suresh 2020): gradient steps whose drift towards the client's own
// minimum is corrected by control variates. With c_i for client i and c their mean, a participant makes K steps
//
//     y <- y - step (grad f_i(y) - c_i + c),        c_i <- c_i - c + (x - y) / (K step),
//
// and x moves by the mean of the y - x. As the new c_i follows from y - x, the server keeps all c_i itself and sends
// c - c_i beside x: the client holds no state, and the message up is one vector in place of two. The losses are the
// clients' sums of squares, so that their plain mean is the whole problem however many rows each holds.

#include <vector>

#include "fedrk/method.hpp"

namespace fedrk {

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
