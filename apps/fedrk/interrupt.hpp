// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fedrk/base/stop_signal.hpp"

namespace fedrk::app {

/// Listens from the first call on: Ctrl-C, SIGTERM or SIGHUP asks to stop after the round at hand; a second one ends
/// the program. SIGUSR1, which "fedrk stop" sends, asks too and never ends it.
const StopSignal& stop_on_interrupt();

}  // namespace fedrk::app
