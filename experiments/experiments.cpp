// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "experiments/experiment.hpp"

namespace fedrk::experiments {

std::span<const Experiment> all_experiments() {
  static constexpr std::array<Experiment, 8> kAll{{
      {"fig1", "more local steps, fewer rounds, on a Gaussian system", 60.0, fig1},
      {"fig1-baselines", "FedRK beside FedAvg and FedProx", 60.0, fig1_baselines},
      {"fig1-large", "large, unbalanced, heterogeneous clients; 5.4 GB at full size, see --scale", 900.0, fig1_large},
      {"fig2", "the entries of a sparse solution, found by thresholding", 60.0, fig2},
      {"fig3", "noise columns bring inconsistent equations closer to least squares", 60.0, fig3},
      {"fig4", "the variables of the prostate data that matter", 10.0, fig4},
      {"theory", "the convergence bounds beside measured errors", 30.0, theory},
      {"beyond", "beyond the paper: sums, memory, least squares by sums, soft thresholding", 6.0, beyond},
  }};
  return kAll;
}

}  // namespace fedrk::experiments
