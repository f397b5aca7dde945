// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of a report, each a piece of HTML made from a saved run. One with nothing to say is empty.

#include <string>

#include "io/saved_run.hpp"

namespace fedrk::io {

// In words and tables: report_sections.cpp.
std::string headline(const SavedRun& run);
std::string key_figures(const SavedRun& run);
std::string boxes(const SavedRun& run);
std::string what_was_solved(const SavedRun& run);
std::string why_it_stopped(const SavedRun& run);
std::string to_repeat_it(const SavedRun& run);

// In pictures: report_plots.cpp.
std::string how_it_converged(const SavedRun& run);
std::string what_was_selected(const SavedRun& run);
std::string coefficients(const SavedRun& run);
std::string who_took_part(const SavedRun& run);

/// The run's name and how it ended, in one line of plain text.
std::string headline_text(const SavedRun& run);

}  // namespace fedrk::io
