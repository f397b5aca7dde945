// SPDX-License-Identifier: Apache-2.0
#include "analysis/error_to_truth.hpp"

#include "round/state_stream.hpp"

namespace fedrk {

void ErrorToTruth::state(StateStream& stream) { stream(errors_); }

}  // namespace fedrk
