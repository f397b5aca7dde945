// SPDX-License-Identifier: Apache-2.0

#define FEDRK_KERNEL_TABLE kBaselineKernels
#include "linalg/simd/body.hpp"
