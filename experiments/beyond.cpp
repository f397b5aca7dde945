// SPDX-License-Identifier: Apache-2.0

// Beyond the paper: the same problems by hyperplanes that hold every solution, by their sums, with a memory, by
// sums over everyone and by soft thresholding.

#include "experiments/beyond_parts.hpp"
#include "experiments/support.hpp"

namespace fedrk::experiments {

Findings beyond(const Settings& settings, const Progress& progress) {
  Findings findings;
  findings.name = "beyond";
  findings.title = "Beyond the paper: sums, memory, least squares, soft thresholding";
  findings.set_up =
      "Problems like those of the paper, by FedRK and by its extensions. These make their local steps "
      "on "
      "shuffled rows, FedRK on rows drawn by squared norm. Every client also sends one number, the gap "
      "of a hyperplane that holds every solution; the server may then add the answers up before it looks at them, or "
      "keep the hyperplanes of earlier rounds";
  const auto part = [&](double begin, double end) { return part_of(progress, begin, end); };
  compare_on_consistent(settings, part(0.0, 0.3), findings);
  compare_on_ill_conditioned(settings, part(0.3, 0.45), findings);
  compare_on_least_squares(settings, part(0.45, 0.65), findings);
  compare_on_sparse(settings, part(0.65, 0.85), findings);
  compare_on_scaled_rows(settings, part(0.85, 1.0), findings);
  return findings;
}

}  // namespace fedrk::experiments
