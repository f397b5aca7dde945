// SPDX-License-Identifier: Apache-2.0
#include "experiments/findings_files.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/write_file.hpp"
#include "data/csv.hpp"
#include "report/json_text.hpp"
#include "report/plot/standalone_svg.hpp"

namespace fedrk::experiments {
namespace {

namespace fs = std::filesystem;
using io::Json;

Json as_json(const Finished& finished) {
  const Findings& findings = finished.findings;
  Json json{{"name", findings.name},
            {"title", findings.title},
            {"holds", findings.holds()},
            {"verdicts", Json::array()},
            {"set_up", findings.set_up},
            {"notes", findings.notes},
            {"figures", Json::array()},
            {"tables", Json::array()},
            {"seed", finished.settings.seed},
            {"quick", finished.settings.quick},
            {"scale", io::number_or_null(finished.settings.scale)},
            {"seconds", io::number_or_null(finished.seconds)},
            {"version", finished.version}};
  for (const Judgement& judgement : findings.judgements) {
    json["verdicts"].push_back({{"holds", judgement.holds}, {"words", judgement.message}});
  }
  for (const Figure& figure : findings.figures) {
    json["figures"].push_back({{"name", figure.name}, {"caption", figure.caption}});
  }
  for (const Table& table : findings.tables) json["tables"].push_back(table.name);
  return json;
}

std::string csv_of(const Table& table) {
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& fields) {
    for (std::size_t k = 0; k < fields.size(); ++k) text += (k == 0 ? "" : ",") + io::csv_field(fields[k]);
    text += '\n';
  };
  add_line(table.columns);
  for (const auto& row : table.rows) add_line(row);
  return text;
}

Finished from_json(const Json& json) {
  Finished finished{.findings = {}, .earlier = true};
  Findings& findings = finished.findings;
  json.at("name").get_to(findings.name);
  json.at("title").get_to(findings.title);
  json.at("set_up").get_to(findings.set_up);
  json.at("notes").get_to(findings.notes);
  for (const Json& judgement : json.at("verdicts")) {
    findings.judgements.push_back({judgement.at("holds").get<bool>(), judgement.at("words").get<std::string>()});
  }
  for (const Json& figure : json.at("figures")) {
    findings.figures.push_back({figure.at("name").get<std::string>(), figure.at("caption").get<std::string>(), {}});
  }
  for (const Json& table : json.at("tables")) findings.tables.push_back({table.get<std::string>(), {}, {}});
  json.at("seed").get_to(finished.settings.seed);
  json.at("quick").get_to(finished.settings.quick);
  if (json.at("scale").is_number()) json.at("scale").get_to(finished.settings.scale);
  if (json.at("seconds").is_number()) json.at("seconds").get_to(finished.seconds);
  json.at("version").get_to(finished.version);
  return finished;
}

}  // namespace

std::string_view version() { return FEDRK_VERSION; }

Result<void> write_findings(const fs::path& folder, const Finished& finished) {
  for (const Figure& figure : finished.findings.figures) {
    if (auto written = io::write_svg(folder / (figure.name + ".svg"), figure.plot); !written) return written;
  }
  for (const Table& table : finished.findings.tables) {
    if (auto written = io::write_file(folder / (table.name + ".csv"), csv_of(table)); !written) return written;
  }
  // Last, so that it never tells of files that are not there.
  return io::write_file(folder / (finished.findings.name + ".json"), io::text_of(as_json(finished)));
}

std::optional<Finished> read_findings(const fs::path& folder, std::string_view name) {
  std::ifstream in(folder / fmt::format("{}.json", name), std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    Finished finished = from_json(json);
    if (finished.findings.name != name) return std::nullopt;
    std::erase_if(finished.findings.figures, [&](const Figure& figure) {
      std::error_code none;
      return !fs::exists(folder / (figure.name + ".svg"), none);
    });
    return finished;
  } catch (const Json::exception&) {  // something else of this name
  }
  return std::nullopt;
}

std::string judgements_json(std::span<const Finished> all, const fs::path& page) {
  Json json{{"holds", true}, {"page", page.string()}, {"experiments", Json::array()}};
  for (const Finished& finished : all) {
    if (!finished.findings.holds()) json["holds"] = false;
    json["experiments"].push_back(as_json(finished));
  }
  return io::text_of(json);
}

}  // namespace fedrk::experiments
