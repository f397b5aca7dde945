// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <utility>

#include "base/write_file.hpp"
#include "report/page_text.hpp"
#include "report/report_sections.hpp"
#include "report/report_style.hpp"
#include "report/saved_run.hpp"

namespace fedrk::io {

/// The page of a run: report.mustache, which is compiled in so that the program needs no file.
extern const char* const kReportTemplate;

namespace {

std::string page_of(const SavedRun& run) {
  PageData page;
  page.set("style", std::string(kPageStyle) + std::string(kPlotStyle));
  for (const auto put : {put_headline, put_boxes, put_coefficients, put_selection, put_key_figures, put_clients,
                         put_problem_and_method, put_rounds, put_why_it_stopped, put_how_to_repeat_it}) {
    put(run, page);
  }
  kainjow::mustache::mustache layout(kReportTemplate);
  layout.set_custom_escape([](const std::string& text) { return escape_html(text); });
  return layout.render(page);
}

Result<std::filesystem::path> write_page(const std::filesystem::path& target, const std::string& page) {
  if (const Result<void> written = write_file(target, page); !written) return written.error();
  return target;
}

}  // namespace

Result<std::filesystem::path> write_report(const std::filesystem::path& folder, const FinishedRun& run) {
  return write_page(folder / "report.html", page_of(saved_run_of(run)));
}

Result<std::string> render_report(const std::filesystem::path& folder) {
  const Result<SavedRun> run = read_saved_run(folder);
  if (!run) return run.error();
  return page_of(*run);
}

Result<std::filesystem::path> write_report(const std::filesystem::path& folder, std::filesystem::path target) {
  const Result<std::string> page = render_report(folder);
  if (!page) return page.error();
  return write_page(target.empty() ? folder / "report.html" : target, *page);
}

}  // namespace fedrk::io
