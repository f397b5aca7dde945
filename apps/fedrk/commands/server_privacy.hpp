// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a server gets to see of its clients, and whether that was asked for.

#include "fedrk/base/result.hpp"
#include "fedrk/io/plan.hpp"
#include "fedrk/network/settings.hpp"

namespace fedrk::app {

/// Whether sums are masked: the server sees nothing else.
bool is_masked(const network::ServerSettings& settings, const io::Plan& plan);

/// An error where a plan would give away what nobody asked for, or cannot be masked.
Result<void> check_privacy(const network::ServerSettings& settings, const io::Plan& plan);

}  // namespace fedrk::app
