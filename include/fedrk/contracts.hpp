// SPDX-License-Identifier: Apache-2.0
#pragma once

// FEDRK_EXPECTS(condition): a promise between fedrk's own functions, such as equal lengths in a kernel. Builds with
// FEDRK_CONTRACTS (dev and the sanitizers) stop at a broken one; release builds do not look.

#ifdef FEDRK_CONTRACTS
#include <cstdio>
#include <cstdlib>

namespace fedrk::detail {
[[noreturn]] inline void contract_broken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, condition);
  std::abort();
}
}  // namespace fedrk::detail

#define FEDRK_EXPECTS(condition) \
  ((condition) ? static_cast<void>(0) : ::fedrk::detail::contract_broken(#condition, __FILE__, __LINE__))
#else
#define FEDRK_EXPECTS(condition) static_cast<void>(0)
#endif
