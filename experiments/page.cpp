// SPDX-License-Identifier: Apache-2.0
#include "experiments/page.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "report/page_text.hpp"
#include "report/report_style.hpp"

namespace fedrk::experiments {
namespace {

using io::escape_html;

constexpr std::string_view kOwnStyle = R"css(
.mark{white-space:nowrap;font-weight:600}
.verdicts{list-style:none;margin:0 0 14px;padding:0}
.verdicts li{display:grid;grid-template-columns:9.5em 1fr;gap:10px;padding:7px 0;border-bottom:1px solid var(--rule)}
.verdicts li:last-child{border-bottom:0}
.contents th{width:auto;padding-right:18px}.contents td{padding-right:18px}.contents .mark{width:9.5em}
.contents .time{width:1%;padding-right:0;white-space:nowrap;text-align:right}
figure{margin:18px 0}
figure img{display:block;width:100%;max-width:880px;height:auto;border-radius:8px}
figcaption{color:var(--quiet);font-size:.88rem;margin-top:8px}
.files{color:var(--quiet);font-size:.88rem}
a{color:var(--accent)}
.id{color:var(--quiet);font-weight:400}
h1+p{margin-top:8px}
@media (max-width:600px){
.verdicts li{grid-template-columns:1fr;gap:0}
.contents,.contents tbody,.contents tr,.contents td,.contents th{display:block;width:auto}
.contents tr{padding:8px 0;border-bottom:1px solid var(--rule)}
.contents td,.contents th{padding:0;border:0}.contents .time{text-align:left}}
@media print{figure,.verdicts li{break-inside:avoid}}
)css";

// A symbol and a word: colour alone does not reach every reader, nor every printer.
std::string mark(bool holds) {
  return holds ? R"(<span class="mark completed">✓ holds</span>)"
               : R"(<span class="mark failed">✗ does not hold</span>)";
}

// Names go into links, where a blank or a percent sign would mean something else.
std::string link_to(std::string_view file) {
  std::string text;
  for (const char c : file) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.").find(c) != std::string_view::npos;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

struct Count {
  std::size_t all = 0;
  std::size_t holding = 0;
};

Count count_judgements(std::span<const Finished> all) {
  Count count;
  for (const Finished& finished : all) {
    const auto& judgements = finished.findings.judgements;
    count.all += judgements.size();
    count.holding += static_cast<std::size_t>(std::ranges::count_if(judgements, &Judgement::holds));
  }
  return count;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string judgement_text(const Count& count) {
  const std::size_t failing = count.all - count.holding;
  if (count.all == 0) return "No verdict yet";
  if (failing == 0) return count.all == 1 ? "The one verdict holds" : fmt::format("All {} verdicts hold", count.all);
  return fmt::format("{} of {} {} not hold", failing, plural(count.all, "verdict"), failing == 1 ? "does" : "do");
}

bool reduced(const Finished& finished) {
  return finished.settings.quick || (finished.findings.name == "fig1-large" && finished.settings.scale != 1.0);
}

// That the verdicts hold at a small size says less.
std::string_view size_text(std::span<const Finished> all) {
  if (std::ranges::none_of(all, reduced)) return "";
  return std::ranges::all_of(all, reduced) ? ", at reduced size" : ", some at reduced size";
}

std::string headline(std::span<const Finished> all, std::span<const std::string> to_come) {
  const bool good = std::ranges::all_of(all, [](const Finished& finished) { return finished.findings.holds(); });
  const std::string_view status = all.empty() ? "stopped" : good ? "completed" : "failed";
  std::string html =
      fmt::format("<p class=\"status {}\">{}{}</p>\n", status, judgement_text(count_judgements(all)), size_text(all));
  html += "<h1>The experiments of the FedRK paper, run again</h1>\n";
  html += fmt::format("<p>{}. Each verdict is computed from the numbers of the run that stands beside it.</p>\n",
                      plural(all.size(), "experiment"));
  if (!to_come.empty()) {
    html += fmt::format("<div class=\"box warning\"><p>Not finished: {}.</p></div>\n",
                        escape_html(fmt::format("{}", fmt::join(to_come, ", "))));
  }
  return html;
}

std::string contents(std::span<const Finished> all) {
  std::string html = "<section>\n<h2>Contents</h2>\n<div class=\"scroll\"><table class=\"contents\">\n";
  for (const Finished& finished : all) {
    const Findings& findings = finished.findings;
    html += fmt::format(
        "<tr><td class=\"mark\">{}</td><th><a href=\"#{}\">{}</a></th><td>{}</td>"
        "<td class=\"time\">{}</td></tr>\n",
        mark(findings.holds()), link_to(findings.name), escape_html(findings.name), escape_html(findings.title),
        io::short_seconds(finished.seconds));
  }
  return html + "</table></div>\n</section>\n";
}

std::string judgements(const Findings& findings) {
  if (findings.judgements.empty()) return "<p>No verdict was reached.</p>\n";
  std::string html = "<ul class=\"verdicts\">\n";
  for (const Judgement& judgement : findings.judgements) {
    html += fmt::format("<li>{}<span>{}</span></li>\n", mark(judgement.holds), escape_html(judgement.message));
  }
  return html + "</ul>\n";
}

std::string figure(const Figure& figure, const Finished& finished) {
  const std::string link = link_to(figure.name);
  std::string picture;
  if (finished.earlier) {
    picture =
        fmt::format("<a href=\"{0}.svg\"><img src=\"{0}.svg\" alt=\"{1}\"></a>\n", link, escape_html(figure.caption));
  } else {
    picture = std::visit([](const auto& plot) { return io::svg(plot); }, figure.plot);
    if (picture.empty()) return fmt::format("<p>{} has no point that could be drawn.</p>\n", escape_html(figure.name));
    picture = "<div class=\"scroll\">\n" + picture + "</div>\n";
  }
  return fmt::format("<figure>\n{}<figcaption>{} <a href=\"{}.svg\">SVG</a></figcaption>\n</figure>\n", picture,
                     escape_html(figure.caption), link);
}

std::string notes(const Findings& findings) {
  if (findings.notes.empty()) return "";
  const bool one = findings.notes.size() == 1;
  std::string html;
  for (const std::string& note : findings.notes) {
    html += fmt::format("<{0}>{1}</{0}>\n", one ? "p" : "li", escape_html(note));
  }
  if (!one) html = "<ul>\n" + html + "</ul>\n";
  return "<div class=\"box note\">\n" + html + "</div>\n";
}

std::string tables(const Findings& findings) {
  if (findings.tables.empty()) return "";
  std::string html = "<p class=\"files\">Numbers:";
  for (const Table& table : findings.tables) {
    html += fmt::format(" <a href=\"{}.csv\">{}.csv</a>", link_to(table.name), escape_html(table.name));
  }
  return html + "</p>\n";
}

std::string run_text(const Finished& finished) {
  std::string message = fmt::format("{} with seed {}{}", io::short_seconds(finished.seconds), finished.settings.seed,
                                    finished.settings.quick ? ", at reduced size (--quick)" : "");
  if (finished.settings.scale != 1.0 && finished.findings.name == "fig1-large") {
    message += fmt::format(", scaled by {}", io::short_number(finished.settings.scale, 2));
  }
  if (finished.earlier) message += fmt::format("; from an earlier run, by fedrk {}", escape_html(finished.version));
  return fmt::format("<p class=\"files\">{}. <a href=\"{}.json\">{}.json</a></p>\n", message,
                     link_to(finished.findings.name), escape_html(finished.findings.name));
}

std::string section(const Finished& finished) {
  const Findings& findings = finished.findings;
  std::string html = fmt::format("<section id=\"{}\">\n<h2><span class=\"id\">{}</span> {}</h2>\n",
                                 link_to(findings.name), escape_html(findings.name), escape_html(findings.title));
  if (!findings.set_up.empty()) html += fmt::format("<p>{}</p>\n", escape_html(findings.set_up));
  html += judgements(findings);
  for (const Figure& each : findings.figures) html += figure(each, finished);
  return html + notes(findings) + tables(findings) + run_text(finished) + "</section>\n";
}

}  // namespace

std::string render_page(std::span<const Finished> all, std::span<const std::string> to_come) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += "<title>FedRK: the paper's experiments</title>\n";
  page += fmt::format("<style>{}{}{}</style>\n</head>\n<body>\n<main>\n", io::kPageStyle, io::kPlotStyle, kOwnStyle);
  page += headline(all, to_come) + contents(all);
  for (const Finished& finished : all) page += section(finished);
  page += fmt::format("<footer>Written by fedrk {}.</footer>\n</main>\n</body>\n</html>\n", version());
  return page;
}

}  // namespace fedrk::experiments
