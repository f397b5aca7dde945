// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels are compiled for several instruction sets; the widest one that this machine has is used. All of them
// give the same bits, so the choice shows in the time only, and a federation may mix machines. (Gaussian numbers, for
// generated problems and noise columns, come from the system's logarithm and sine, which may differ in the last bit.)

#include <string_view>
#include <vector>

namespace fedrk {

enum class InstructionSet { Baseline, Avx2, Avx512 };

/// Those which this machine and this build have, the widest last.
std::vector<InstructionSet> available_instruction_sets();

InstructionSet instruction_set();

/// For tests and benchmarks: from now on, in every thread. Throws InvalidArgument where it is not available.
void use_instruction_set(InstructionSet set);

std::string_view name_of(InstructionSet set);

}  // namespace fedrk
