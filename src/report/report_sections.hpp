// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a report says, as values for the names in report.mustache. A part with nothing to say leaves its names out.

#include <string>

#include <kainjow/mustache.hpp>

#include "report/saved_run.hpp"

namespace fedrk::io {

using PageData = kainjow::mustache::data;
using PageList = kainjow::mustache::list;

/// A list of one entry, {text}, for a paragraph that may be missing; empty where there is no text.
PageData if_any(const std::string& text);

// In words and tables: report_sections.cpp.
void put_headline(const SavedRun& run, PageData& page);
void put_boxes(const SavedRun& run, PageData& page);
void put_key_figures(const SavedRun& run, PageData& page);
void put_problem_and_method(const SavedRun& run, PageData& page);
void put_why_it_stopped(const SavedRun& run, PageData& page);
void put_how_to_repeat_it(const SavedRun& run, PageData& page);

// With pictures: report_plots.cpp.
void put_coefficients(const SavedRun& run, PageData& page);
void put_selection(const SavedRun& run, PageData& page);
void put_clients(const SavedRun& run, PageData& page);
void put_rounds(const SavedRun& run, PageData& page);

}  // namespace fedrk::io
