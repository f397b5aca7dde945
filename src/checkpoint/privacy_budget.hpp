// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the owner of rows lets them give away under differential privacy, over all runs, and where it is kept.

#include "checkpoint/client_store.hpp"
#include "methods/gaussian_privacy.hpp"

namespace fedrk::network {

struct PrivacyBudget {
  double epsilon = 0.0;  // 0: no bound, and no part in runs that spend any
  double delta = 0.0;
  store::ClientStore* ledger = nullptr;

  bool bounded() const { return epsilon > 0.0 && ledger != nullptr; }
  double rho() const { return privacy::rho_of(epsilon, delta); }
};

}  // namespace fedrk::network
