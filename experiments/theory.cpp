// SPDX-License-Identifier: Apache-2.0

// What the paper proves: the rate of randomized Kaczmarz, the decrease of one round, the limit.

#include "experiments/theory_parts.hpp"

namespace fedrk::experiments {

Findings theory(const Settings& settings, const Progress& progress) {
  Findings findings;
  findings.name = "theory";
  findings.title = "What is proved, measured";
  findings.set_up =
      "Small systems: randomized Kaczmarz under several row distributions; one round with exact local projections (tau "
      "= "
      "infinity) and one server step (tau_g = 1), over all subsets of clients; underdetermined systems from random "
      "starts";
  check_rate_of_kaczmarz(settings, part_of(progress, 0.0, 0.3), findings);
  check_one_round(settings, part_of(progress, 0.3, 0.6), findings);
  check_no_round_raises_the_error(settings, part_of(progress, 0.6, 0.7), findings);
  check_limit(settings, part_of(progress, 0.7, 1.0), findings);
  return findings;
}

}  // namespace fedrk::experiments
