// SPDX-License-Identifier: Apache-2.0

#define FEDRK_KERNEL_TABLE kAvx2Kernels
#include "linalg/simd/body.hpp"
