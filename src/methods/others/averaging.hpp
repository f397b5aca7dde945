// SPDX-License-Identifier: Apache-2.0
#pragma once

// Federated averaging: x moves by the mean of the participants' displacements, each weighted by its number of rows.
// What the clients do locally makes it
//
//   FedAvg               gradient steps            (McMahan, Moore, Ramage, Hampson, Aguera y Arcas 2017)
//   FedProx              with a proximal term      (Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith 2020)
//   FedAvg of local RK   Kaczmarz steps: the local half of FedRK without its server

#include <vector>

#include "fedrk/method.hpp"

namespace fedrk {

class Averaging final : public Method {
 public:
  Averaging(std::span<const ClientSummary> roster, LocalWork work);

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;

 private:
  std::vector<double> weights_;  // m_i
  LocalWork work_;
};

}  // namespace fedrk
