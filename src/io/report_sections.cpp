// SPDX-License-Identifier: Apache-2.0
#include "io/report_sections.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "io/page_text.hpp"

namespace fedrk::io {
namespace {

using nlohmann::json;

// A residual or error: three digits, or two where an exponent takes the room.
std::string figure(const std::optional<double>& value) {
  return value ? short_number(*value, std::abs(*value) < 1e-4 ? 2 : 3) : "–";
}

std::string tile(std::string_view name, std::string_view value, std::string_view aside) {
  return fmt::format("<div class=\"tile\"><dt>{}</dt><dd class=\"figure\">{}</dd><dd class=\"aside\">{}</dd></div>\n",
                     escape_html(name), escape_html(value), escape_html(aside));
}

// One line of a table of facts; nothing when there is no value. `name` is HTML, for the paper's symbols.
std::string fact(std::string_view name, std::string_view value) {
  if (value.empty()) return "";
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, escape_html(value));
}

bool is_fit(const SavedRun& run) { return text_at(run.result, "goal") == "fit"; }

std::string yes_or_no(const json& object, const char* key) {
  const json& value = at(object, key);
  return !value.is_boolean() ? "" : value.get<bool>() ? "yes" : "no";
}

// A number of steps, or the limit of infinitely many, which is an exact projection.
std::string steps(const json& options, const char* key) {
  if (const auto count = count_at(options, key)) return short_count(*count);
  const std::string text = text_at(options, key);
  return text == "inf" ? "∞ (exact projection)" : text;
}

std::string with_spaces(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

// The first letter becomes a capital, unless it is the iterate x.
std::string capitalized(std::string text) {
  if (text.starts_with("x ")) return text;
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// Any option as text; empty when it is not set.
std::string option_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_integer()) return value.dump();
  return value.is_number() ? short_number(value.get<double>(), 6) : "";
}

std::string participants(const SavedRun& run) {
  const auto count = count_at(at(run.result, "options"), "participants");
  const std::size_t clients = at(run.result, "clients").size();
  if (!count) return "";
  if (*count == 0 || *count == clients) return "all";
  return short_count(*count);
}

// The files one below the other, over the whole width, as paths are long.
std::string data_files(const SavedRun& run) {
  constexpr std::size_t kMostFiles = 8;
  const json& files = at(at(run.result, "problem"), "files");
  if (!files.is_array() || files.empty()) return "";
  std::string list;
  for (std::size_t i = 0; i < std::min(files.size(), kMostFiles); ++i) {
    if (files[i].is_string()) list += escape_html(files[i].get<std::string>()) + "<br>\n";
  }
  if (files.size() > kMostFiles) list += fmt::format("… and {} more\n", short_count(files.size() - kMostFiles));
  return fmt::format("<table class=\"wide\">\n<tr><th scope=\"row\">Data</th><td>{}</td></tr>\n</table>\n", list);
}

std::string problem_facts(const SavedRun& run) {
  const json& problem = at(run.result, "problem");
  const auto rows = count_at(problem, "rows");
  const auto columns = count_at(problem, "columns");
  std::string facts;
  if (rows && columns) {
    facts = fact(is_fit(run) ? "Rows × coefficients" : "Equations × unknowns",
                 fmt::format("{} × {}", short_count(*rows), short_count(*columns)));
  }
  facts += fact("Target", text_at(problem, "target"));
  facts += fact("Sparse matrix", yes_or_no(problem, "sparse"));
  facts += fact("Standardised", yes_or_no(problem, "standardized"));
  facts += fact("Intercept", yes_or_no(problem, "intercept"));
  const auto noise = count_at(problem, "noise_columns");
  if (text_at(problem, "storage") == "float32") facts += fact("Rows kept as", "float32");
  if (noise) facts += fact("Noise columns", *noise == 0 ? "none" : short_count(*noise));
  return facts;
}

// The options the paper has a symbol for come first, and then whatever else the run was given.
std::string method_facts(const SavedRun& run) {
  const json& options = at(run.result, "options");
  const auto symbol = [](std::string_view words, std::string_view letters) {
    return fmt::format("{} <span class=\"symbol\">{}</span>", words, letters);
  };
  std::string facts = fact("Method", text_at(run.result, "method"));
  facts += fact(symbol("Rounds", "T"), steps(options, "rounds"));
  facts += fact(symbol("Clients a round", "|S|"), participants(run));
  facts += fact(symbol("Local steps", "τ"), steps(options, "local_steps"));
  facts += fact(symbol("Server steps", "τ<sub>g</sub>"), steps(options, "server_steps"));
  const auto unless_null = [&](const char* key, const std::string& value, const std::string& otherwise) {
    return options.contains(key) && at(options, key).is_null() ? otherwise : value;
  };
  facts += fact(symbol("Entries kept", "s"), unless_null("keep", steps(options, "keep"), "all"));
  facts += fact("Client rows drawn by", text_at(options, "row_sampling"));
  facts += fact("Server rows drawn by", text_at(options, "server_sampling"));
  const auto tolerance = number_at(options, "tolerance");
  facts += fact("Tolerance", unless_null("tolerance", tolerance ? short_number(*tolerance, 2) : "", "none"));
  constexpr std::array<std::string_view, 8> kShown{"rounds",       "participants",    "local_steps", "server_steps",
                                                   "row_sampling", "server_sampling", "keep",        "tolerance"};
  if (!options.is_object()) return facts;
  for (const auto& [key, value] : options.items()) {
    if (std::ranges::find(kShown, key) != kShown.end()) continue;
    facts += fact(escape_html(capitalized(with_spaces(key))), option_text(value));
  }
  return facts;
}

// What the reason for stopping means, and what may be done about it.
std::string explanation(const SavedRun& run) {
  const std::string reason = text_at(run.result, "stop_reason");
  const std::string progress = text_at(at(run.result, "convergence"), "progress");
  const bool had_tolerance = number_at(at(run.result, "options"), "tolerance").has_value();
  if (reason == "round_limit") {
    std::string text = "The run made every round it was asked for.";
    if (had_tolerance) text += " The tolerance was not reached.";
    if (progress == "falling") text += " The residual was still falling: more rounds would bring it lower.";
    if (progress == "hovering") text += " The residual had stopped falling: more rounds would not bring it lower.";
    return text;
  }
  if (reason == "tolerance") {
    return "The residual of all clients together came within the tolerance that was asked for.";
  }
  if (reason == "stagnation") {
    return "The residual had stopped falling, so further rounds would have cost time and traffic for nothing.";
  }
  if (reason == "converged") return "The method found that further rounds would not change the answer.";
  if (reason == "interrupted") {
    return "Somebody asked the run to stop. This page shows it as it was after its last complete round.";
  }
  if (reason == "diverged") {
    return "The iterate x left the range of numbers, and the result is the last x within it. Look for huge or badly "
           "scaled values in the data; standardising brings the columns to one scale.";
  }
  return with_spaces(reason);
}

// How well a fit fits; nothing for equations.
std::string model_tiles(const json& model) {
  std::string tiles;
  const auto freedom = number_at(model, "df_residual");
  if (const auto sigma = number_at(model, "sigma")) {
    tiles += tile("Residual standard error", short_number(*sigma, 4),
                  freedom ? fmt::format("on {:.6g} degrees of freedom", *freedom) : "");
  }
  if (const auto share = number_at(model, "r_squared")) tiles += tile("R²", short_number(*share, 4), "");
  return tiles;
}

std::string notes_on_method(const SavedRun& run) {
  const json& notes = at(run.result, "method_notes");
  std::string text;
  if (notes.is_array()) {
    for (const json& note : notes) {
      if (note.is_string()) text += "<p>" + escape_html(note.get<std::string>()) + "</p>\n";
    }
  }
  return text.empty() ? "" : "<div class=\"box note\" role=\"note\">\n" + text + "</div>\n";
}

}  // namespace

std::string headline_text(const SavedRun& run) {
  const std::string words = text_at(run.result, "stop_words");
  return words.empty() ? run.name : run.name + ": " + words;
}

std::string headline(const SavedRun& run) {
  const std::string status = text_at(run.result, "status");
  const std::string state = status.substr(status.find(':') + 1);  // all of it when there is no colon
  const bool known = state == "completed" || state == "unconverged" || state == "failed" || state == "stopped";
  const std::string words = state == "unconverged" ? "not converged" : state;
  return fmt::format("<header>\n<span class=\"status {}\">{}</span>\n<h1>{}</h1>\n</header>\n", known ? state : "",
                     escape_html(words.empty() ? "Status unknown" : capitalized(words)),
                     escape_html(headline_text(run)));
}

std::string key_figures(const SavedRun& run) {
  const json& result = run.result;
  const json& options = at(result, "options");
  const auto asked = count_at(options, "rounds");
  const auto rounds = count_at(result, "rounds");
  const auto tolerance = number_at(options, "tolerance");
  const bool least_squares = at(result, "fit").is_boolean() && at(result, "fit").get<bool>();
  const auto up = number_at(result, "bytes_up");
  const auto down = number_at(result, "bytes_down");
  const std::string in_a_round = participants(run);
  std::string tiles = tile("Rounds", rounds ? short_count(*rounds) : "–", asked ? "of " + short_count(*asked) : "");
  tiles += tile("Relative residual", figure(number_at(result, "relative_residual")),
                least_squares ? "of the fit"
                : tolerance   ? "asked for " + short_number(*tolerance, 2)
                              : "at the end");
  tiles += model_tiles(at(result, "model"));
  if (const auto error = number_at(result, "relative_error")) {
    tiles += tile("Relative error", figure(error), "to the true solution");
  }
  if (at(result, "clients").is_array()) {
    tiles += tile("Clients", short_count(at(result, "clients").size()),
                  in_a_round.empty() ? "" : in_a_round + " in a round");
  }
  if (up && down) {
    tiles += tile("Data moved", short_bytes(*up + *down), short_bytes(*up) + " up, " + short_bytes(*down) + " down");
  }
  if (const auto seconds = number_at(result, "seconds")) {
    const bool many = rounds.value_or(0) > 1;
    tiles += tile("Time", short_seconds(*seconds),
                  many ? short_seconds(*seconds / static_cast<double>(*rounds)) + " a round" : "");
  }
  return "<dl class=\"tiles\">\n" + tiles + "</dl>\n";
}

std::string boxes(const SavedRun& run) {
  std::string warnings;
  if (at(run.result, "warnings").is_array()) {
    for (const json& warning : at(run.result, "warnings")) {
      if (warning.is_string()) warnings += "<p>" + escape_html(warning.get<std::string>()) + "</p>\n";
    }
  }
  std::string html = notes_on_method(run);
  if (!warnings.empty()) html += "<div class=\"box warning\" role=\"note\">\n" + warnings + "</div>\n";
  const std::string words = text_at(at(run.result, "convergence"), "words");
  // A horizon is also among the warnings; once is enough.
  const bool said = warnings.find(escape_html(words)) != std::string::npos;
  if (!words.empty() && !said)
    html += "<div class=\"box note\" role=\"note\">\n<p>" + escape_html(words) + "</p>\n</div>\n";
  return html;
}

std::string what_was_solved(const SavedRun& run) {
  const std::string problem = problem_facts(run);
  const std::string method = method_facts(run);
  const std::string files = data_files(run);
  if ((files + problem + method).empty()) return "";
  std::string html = fmt::format("<section>\n<h2>What was {}</h2>\n", is_fit(run) ? "fitted" : "solved") + files +
                     "<div class=\"pair\">\n";
  if (!problem.empty()) html += "<table>\n" + problem + "</table>\n";
  if (!method.empty()) html += "<table>\n" + method + "</table>\n";
  return html + "</div>\n</section>\n";
}

std::string why_it_stopped(const SavedRun& run) {
  const std::string words = capitalized(text_at(run.result, "stop_words"));
  const std::string more = explanation(run);
  if (words.empty() && more.empty()) return "";
  std::string html = "<section>\n<h2>Why it stopped</h2>\n";
  if (!words.empty()) html += fmt::format("<p><strong>{}.</strong></p>\n", escape_html(words));
  if (!more.empty()) html += fmt::format("<p>{}</p>\n", escape_html(more));
  return html + "</section>\n";
}

std::string to_repeat_it(const SavedRun& run) {
  const json& seed = at(run.result, "seed");
  std::string facts = fact("Seed", seed.is_number_integer() ? seed.dump() : text_at(run.result, "seed"));
  facts += fact("fedrk version", text_at(run.result, "version"));
  std::string html =
      fmt::format("<section>\n<h2>To repeat it</h2>\n<pre>fedrk {} plan.toml</pre>\n", is_fit(run) ? "fit" : "solve");
  html +=
      "<p>The file plan.toml in the folder of the run holds the complete plan, defaults written out. The same plan, "
      "data, seed and build give the same numbers again.</p>\n";
  if (!facts.empty()) html += "<table>\n" + facts + "</table>\n";
  return html + "</section>\n";
}

}  // namespace fedrk::io
