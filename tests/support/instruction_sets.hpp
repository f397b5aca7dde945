// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "linalg/instruction_set.hpp"

namespace fedrk::test {

/// Computes the same with the baseline and with each instruction set of this machine.
template <class Compute>
void expect_same_with_every_instruction_set(const Compute& compute) {
  const InstructionSet before = instruction_set();
  use_instruction_set(InstructionSet::Baseline);
  const auto expected = compute();
  for (const InstructionSet set : available_instruction_sets()) {
    use_instruction_set(set);
    EXPECT_TRUE(compute() == expected) << name_of(set);
  }
  use_instruction_set(before);
}

}  // namespace fedrk::test
