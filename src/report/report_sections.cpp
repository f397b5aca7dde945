// SPDX-License-Identifier: Apache-2.0
#include "report/report_sections.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/page_text.hpp"

namespace fedrk::io {
namespace {

// A residual or error: three digits, or two where an exponent takes the room.
std::string figure(const std::optional<double>& value) {
  return value ? short_number(*value, std::abs(*value) < 1e-4 ? 2 : 3) : "–";
}

PageData tile(const std::string& name, const std::string& value, const std::string& note) {
  PageData entry("name", name);
  entry.set("value", value);
  entry.set("aside", note);
  return entry;
}

// Lines of a table; one without a value is left out.
class Facts {
 public:
  void add(const std::string& name, const std::string& value) { add(name, "", value); }

  // With the paper's symbol, which is HTML.
  void add(const std::string& name, const std::string& symbol, const std::string& value) {
    if (value.empty()) return;
    PageData line("name", name);
    line.set("value", value);
    if (!symbol.empty()) line.set("symbol", PageData("html", symbol));
    lines_.push_back(std::move(line));
  }

  PageData data() const { return lines_; }

 private:
  PageList lines_;
};

bool is_fit(const SavedRun& run) { return text_at(run.result, "goal") == "fit"; }

std::string yes_or_no(const Json& object, const char* key) {
  const Json& value = at(object, key);
  return !value.is_boolean() ? "" : value.get<bool>() ? "yes" : "no";
}

// A number of steps, or the limit of infinitely many, which is an exact projection.
std::string steps(const Json& options, const char* key) {
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
std::string option_text(const Json& value) {
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
void put_files(const SavedRun& run, PageData& page) {
  constexpr std::size_t kMaxFiles = 8;
  const Json& files = at(at(run.result, "problem"), "files");
  if (!files.is_array() || files.empty()) return;
  PageList names;
  for (std::size_t i = 0; i < std::min(files.size(), kMaxFiles); ++i) {
    if (files[i].is_string()) names.emplace_back("text", files[i].get<std::string>());
  }
  PageData part("names", names);
  part.set("more", files.size() > kMaxFiles ? fmt::format("… and {} more", short_count(files.size() - kMaxFiles)) : "");
  page.set("files", part);
}

Facts problem_facts(const SavedRun& run) {
  const Json& problem = at(run.result, "problem");
  const auto rows = count_at(problem, "rows");
  const auto columns = count_at(problem, "columns");
  Facts facts;
  if (rows && columns) {
    facts.add(is_fit(run) ? "Rows × coefficients" : "Equations × unknowns",
              fmt::format("{} × {}", short_count(*rows), short_count(*columns)));
  }
  facts.add("Target", text_at(problem, "target"));
  facts.add("Sparse matrix", yes_or_no(problem, "sparse"));
  facts.add("Standardised", yes_or_no(problem, "standardized"));
  facts.add("Intercept", yes_or_no(problem, "intercept"));
  if (text_at(problem, "storage") == "float32") facts.add("Rows kept as", "float32");
  const auto noise = count_at(problem, "noise_columns");
  if (noise) facts.add("Noise columns", *noise == 0 ? "none" : short_count(*noise));
  return facts;
}

// The options the paper has a symbol for come first, and then whatever else the run was given.
Facts method_facts(const SavedRun& run) {
  const Json& options = at(run.result, "options");
  const auto unless_null = [&](const char* key, const std::string& value, const std::string& otherwise) {
    return options.contains(key) && at(options, key).is_null() ? otherwise : value;
  };
  const auto tolerance = number_at(options, "tolerance");
  Facts facts;
  facts.add("Method", text_at(run.result, "method"));
  facts.add("Rounds", "T", steps(options, "rounds"));
  facts.add("Clients a round", "|S|", participants(run));
  facts.add("Local steps", "τ", steps(options, "local_steps"));
  facts.add("Server steps", "τ<sub>g</sub>", steps(options, "server_steps"));
  facts.add("Entries kept", "s", unless_null("keep", steps(options, "keep"), "all"));
  facts.add("Client rows drawn by", text_at(options, "row_sampling"));
  facts.add("Server rows drawn by", text_at(options, "server_sampling"));
  facts.add("Tolerance", unless_null("tolerance", tolerance ? short_number(*tolerance, 2) : "", "none"));
  constexpr std::array<std::string_view, 8> kShown{"rounds",       "participants",    "local_steps", "server_steps",
                                                   "row_sampling", "server_sampling", "keep",        "tolerance"};
  if (!options.is_object()) return facts;
  for (const auto& [key, value] : options.items()) {
    if (std::ranges::find(kShown, key) != kShown.end()) continue;
    facts.add(capitalized(with_spaces(key)), option_text(value));
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
void add_model_tiles(const Json& model, PageList& tiles) {
  const auto freedom = number_at(model, "df_residual");
  if (const auto sigma = number_at(model, "sigma")) {
    tiles.push_back(tile("Residual standard error", short_number(*sigma, 4),
                         freedom ? fmt::format("on {:.6g} degrees of freedom", *freedom) : ""));
  }
  if (const auto share = number_at(model, "r_squared")) tiles.push_back(tile("R²", short_number(*share, 4), ""));
}

std::vector<std::string> texts_at(const SavedRun& run, const char* key) {
  const Json& texts = at(run.result, key);
  std::vector<std::string> found;
  if (!texts.is_array()) return found;
  for (const Json& text : texts) {
    if (text.is_string()) found.push_back(text.get<std::string>());
  }
  return found;
}

void put_box(const char* name, const std::vector<std::string>& texts, PageData& page) {
  if (texts.empty()) return;
  PageList paragraphs;
  for (const std::string& text : texts) paragraphs.emplace_back("text", text);
  page.set(name, PageData("paragraphs", paragraphs));
}

// The run's name and how it ended, in one line.
std::string headline_text(const SavedRun& run) {
  const std::string message = text_at(run.result, "stop_words");
  return message.empty() ? run.name : run.name + ": " + message;
}

}  // namespace

PageData if_any(const std::string& text) { return text.empty() ? PageList{} : PageList{PageData("text", text)}; }

void put_headline(const SavedRun& run, PageData& page) {
  const std::string status = text_at(run.result, "status");
  const std::string state = status.substr(status.find(':') + 1);  // all of it when there is no colon
  const bool known = state == "completed" || state == "unconverged" || state == "failed" || state == "stopped";
  const std::string message = state == "unconverged" ? "not converged" : state;
  page.set("title", headline_text(run));
  page.set("state", known ? state : "");
  page.set("status", message.empty() ? "Status unknown" : capitalized(message));
  page.set("version", text_at(run.result, "version"));
}

void put_key_figures(const SavedRun& run, PageData& page) {
  const Json& result = run.result;
  const Json& options = at(result, "options");
  const auto asked = count_at(options, "rounds");
  const auto rounds = count_at(result, "rounds");
  const auto tolerance = number_at(options, "tolerance");
  const bool least_squares = at(result, "fit").is_boolean() && at(result, "fit").get<bool>();
  const auto up = number_at(result, "bytes_up");
  const auto down = number_at(result, "bytes_down");
  const std::string in_a_round = participants(run);
  PageList tiles;
  add_model_tiles(at(result, "model"), tiles);
  tiles.push_back(tile("Relative residual", figure(number_at(result, "relative_residual")),
                       least_squares ? "of the fit"
                       : tolerance   ? "asked for " + short_number(*tolerance, 2)
                                     : "at the end"));
  if (const auto error = number_at(result, "relative_error")) {
    tiles.push_back(tile("Relative error", figure(error), "to the true solution"));
  }
  tiles.push_back(tile("Rounds", rounds ? short_count(*rounds) : "–", asked ? "of " + short_count(*asked) : ""));
  if (at(result, "clients").is_array()) {
    tiles.push_back(tile(is_fit(run) ? "Sites" : "Clients", short_count(at(result, "clients").size()),
                         in_a_round.empty() ? "" : in_a_round + " in a round"));
  }
  if (up && down) {
    tiles.push_back(
        tile("Data moved", short_bytes(*up + *down), short_bytes(*up) + " up, " + short_bytes(*down) + " down"));
  }
  if (const auto seconds = number_at(result, "seconds")) {
    const bool many = rounds.value_or(0) > 1;
    tiles.push_back(tile("Time", short_seconds(*seconds),
                         many ? short_seconds(*seconds / static_cast<double>(*rounds)) + " a round" : ""));
  }
  page.set("tiles", tiles);
}

void put_boxes(const SavedRun& run, PageData& page) {
  const std::vector<std::string> warnings = texts_at(run, "warnings");
  std::vector<std::string> notes = texts_at(run, "method_notes");
  const std::string message = text_at(at(run.result, "convergence"), "words");
  // A horizon is also among the warnings; once is enough.
  const auto says_it = [&](const std::string& warning) { return warning.find(message) != std::string::npos; };
  if (!message.empty() && std::ranges::none_of(warnings, says_it)) notes.push_back(message);
  put_box("warnings", warnings, page);
  put_box("notes", notes, page);
}

void put_problem_and_method(const SavedRun& run, PageData& page) {
  page.set("what", is_fit(run) ? "What was fitted" : "What was solved");
  put_files(run, page);
  page.set("problem", problem_facts(run).data());
  page.set("method", method_facts(run).data());
}

void put_why_it_stopped(const SavedRun& run, PageData& page) {
  const std::string message = capitalized(text_at(run.result, "stop_words"));
  const std::string more = explanation(run);
  if (message.empty() && more.empty()) return;
  PageData part("words", if_any(message));
  part.set("more", if_any(more));
  page.set("stop", part);
}

void put_how_to_repeat_it(const SavedRun& run, PageData& page) {
  const Json& seed = at(run.result, "seed");
  Facts facts;
  facts.add("Seed", seed.is_number_integer() ? seed.dump() : text_at(run.result, "seed"));
  facts.add("fedrk version", text_at(run.result, "version"));
  page.set("command", is_fit(run) ? "fit" : "solve");
  page.set("origin", facts.data());
}

}  // namespace fedrk::io
