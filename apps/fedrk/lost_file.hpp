// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fedrk::app {

/// Data files are used where they are, so one that is cut short during a run takes its numbers with it. From now on
/// that ends the program with a line that says so, rather than with a signal.
void explain_lost_files();

}  // namespace fedrk::app
