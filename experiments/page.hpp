// SPDX-License-Identifier: Apache-2.0
#pragma once

// One page with all that was found: verdicts in words, figures, and links to the files beside it.

#include <span>
#include <string>

#include "experiments/findings_files.hpp"

namespace fedrk::experiments {

/// An HTML page to be written into the folder of the findings' files. The figures of this run stand in the page, those
/// of earlier runs are shown from their files. `to_come`: names of experiments that were asked for and have not ended.
std::string render_page(std::span<const Finished> all, std::span<const std::string> to_come = {});

}  // namespace fedrk::experiments
