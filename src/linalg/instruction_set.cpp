// SPDX-License-Identifier: Apache-2.0
#include "linalg/instruction_set.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "fedrk/error.hpp"
#include "linalg/simd/kernel_table.hpp"

namespace fedrk {
namespace {

const detail::KernelTable& table_of(InstructionSet set) {
#ifdef FEDRK_X86_KERNELS
  if (set == InstructionSet::Avx512) return detail::kAvx512Kernels;
  if (set == InstructionSet::Avx2) return detail::kAvx2Kernels;
#endif
  (void)set;
  return detail::kBaselineKernels;
}

// Whoever computes before this file is initialised gets the baseline, and the same bits.
constinit std::atomic<const detail::KernelTable*> in_use = &detail::kBaselineKernels;
[[maybe_unused]] const bool chosen = [] {
  use_instruction_set(available_instruction_sets().back());
  return true;
}();

}  // namespace

const detail::KernelTable& detail::kernels() { return *in_use.load(std::memory_order_relaxed); }

std::vector<InstructionSet> available_instruction_sets() {
  std::vector<InstructionSet> sets{InstructionSet::Baseline};
#ifdef FEDRK_X86_KERNELS
  __builtin_cpu_init();  // this may run before the constructors of the compiler's library
  // Every machine with AVX2 that one meets has fused multiply-add; a virtual one may hide it.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return sets;
  sets.push_back(InstructionSet::Avx2);
  if (__builtin_cpu_supports("avx512f")) sets.push_back(InstructionSet::Avx512);
#endif
  return sets;
}

InstructionSet instruction_set() {
  for (const InstructionSet set : available_instruction_sets()) {
    if (&table_of(set) == &detail::kernels()) return set;
  }
  return InstructionSet::Baseline;
}

void use_instruction_set(InstructionSet set) {
  if (std::ranges::count(available_instruction_sets(), set) == 0) {
    throw InvalidArgument(std::string(name_of(set)) + " is not on this machine, or not in this build");
  }
  in_use.store(&table_of(set), std::memory_order_relaxed);
}

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::Avx512:
      return "AVX-512";
    case InstructionSet::Avx2:
      return "AVX2";
    case InstructionSet::Baseline:
      break;
  }
  return "baseline";
}

}  // namespace fedrk
