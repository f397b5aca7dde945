// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contenders that go beyond FedRK (methods/): valid hyperplanes, sums, memory.

#include <vector>

#include "analysis/contenders.hpp"

namespace fedrk {

inline constexpr const char* kSeesUpdates = "each update";
inline constexpr const char* kSeesOneSum = "one sum";

/// "1000", or "inf".
std::string steps_text(const StepBudget& budget);

/// Those that need no sparsity, after FedRK's.
void add_hyperplane_contenders(const Engine& engine, const ContenderOptions& options, std::vector<Contender>& list);

/// Soft thresholding, where the number of local steps is finite: there is no exact projection for it.
void add_soft_contender(const ContenderOptions& options, std::vector<Contender>& list);

}  // namespace fedrk
