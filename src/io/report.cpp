// SPDX-License-Identifier: Apache-2.0
#include "fedrk/io/report.hpp"

#include <utility>

#include <fmt/format.h>

#include "fedrk/io/write_file.hpp"
#include "io/page_text.hpp"
#include "io/plot_style.hpp"
#include "io/report_sections.hpp"
#include "io/report_style.hpp"
#include "io/saved_run.hpp"

namespace fedrk::io {

Result<std::string> render_report(const std::filesystem::path& folder) {
  const Result<SavedRun> run = read_saved_run(folder);
  if (!run) return run.error();
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{}</title>\n", escape_html(headline_text(*run)));
  page += fmt::format("<style>{}{}</style>\n</head>\n<body>\n<main>\n", kPageStyle, kPlotStyle);
  for (const auto part : {headline, key_figures, boxes, what_was_solved, how_it_converged, what_was_selected,
                          coefficients, who_took_part, why_it_stopped, to_repeat_it}) {
    page += part(*run);
  }
  const std::string version = text_at(run->result, "version");
  page += fmt::format("<footer>Written by fedrk{}{}. This page needs no other file.</footer>\n",
                      version.empty() ? "" : " ", escape_html(version));
  page += "</main>\n</body>\n</html>\n";
  return page;
}

Result<std::filesystem::path> write_report(const std::filesystem::path& folder, std::filesystem::path target) {
  const Result<std::string> page = render_report(folder);
  if (!page) return page.error();
  if (target.empty()) target = folder / "report.html";
  const Result<void> written = write_file(target, *page);
  if (!written) return written.error();
  return target;
}

}  // namespace fedrk::io
