// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/mapped_file.hpp"
#include "before_joining.hpp"
#include "check.hpp"
#include "data/csv.hpp"
#include "pki/private_file.hpp"
#include "pki/tls_probe.hpp"
#include "plan/federation.hpp"
#include "plan/plan.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using Level = CheckLine::Level;
using Stage = security::Finding::Stage;

bool is_csv(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".csv" || ending == ".tsv" || ending == ".txt";
}

// The plan's view of this client's rows: one file, of one client.
Result<io::Plan> plan_for(const network::ClientSettings& settings, const CheckOptions& options) {
  io::Plan plan;
  if (!options.plan.empty()) {
    if (const auto read = io::read_plan(options.plan, plan); !read) return read.error();
  }
  const auto list = [](const std::string& file) { return std::vector<std::string>(file.empty() ? 0 : 1, file); };
  plan.data = list(settings.files.data);
  plan.matrix = list(settings.files.matrix);
  plan.rhs = list(settings.files.rhs);
  plan.clients = 0;
  plan.partition = "contiguous";
  plan.start.clear();
  plan.truth.clear();
  if (!options.target.empty()) plan.target = options.target;
  if (!options.ignore.empty()) plan.ignore = options.ignore;
  return plan;
}

// Of a table that could be read: its rows.
using KnownRows = std::optional<std::size_t>;

CheckLine about_rows(const fs::path& file, const io::ClientTables& tables, std::size_t columns,
                     const std::string& remark, KnownRows& known) {
  std::size_t& rows = known.emplace(0);
  for (const LinearSystem& system : tables.systems) rows += row_count(system.rows);
  return {Level::Fine, file.filename().string(),
          fmt::format("{} row{}, {} column{}{}", rows, rows == 1 ? "" : "s", columns, columns == 1 ? "" : "s", remark),
          ""};
}

// Which column is the target is the plan's affair. Without one, every column is read as numbers, and a text among them
// may be one that the plan leaves out.
CheckLine check_table_alone(const fs::path& file, io::Plan plan, KnownRows& rows) {
  const std::string name = file.filename().string();
  const auto columns = io::read_csv_columns(file);
  if (!columns) return {Level::Bad, name, columns.error().message, "docs/formats.md describes the format"};
  plan.target = columns->back();
  const auto tables = io::read_clients(plan);
  if (tables) return about_rows(file, *tables, columns->size(), ", the target among them", rows);
  return {Level::Warning, name, tables.error().message,
          "if the plan leaves such columns out, check with --plan FILE; else mend the file"};
}

CheckLine check_data(const network::ClientSettings& settings, const CheckOptions& options, KnownRows& rows) {
  const fs::path file = settings.files.data.empty() ? settings.files.matrix : settings.files.data;
  const std::string name = file.filename().string();
  const auto plan = plan_for(settings, options);
  if (!plan) return {Level::Bad, "plan", plan.error().message, "ask whoever made the plan"};
  if (const auto there = io::MappedFile::open(file); !there) {
    return {Level::Bad, name, there.error().message, "put your data there, or name the file in the settings"};
  }
  if (is_csv(file) && !settings.files.data.empty() && plan->target.empty()) return check_table_alone(file, *plan, rows);
  const auto tables = io::read_clients(*plan);
  if (!tables) {
    const bool planned = !options.plan.empty() || !options.target.empty();
    return {Level::Bad, name, tables.error().message,
            planned ? "the file and the plan have to agree: mend one of them" : "mend the file"};
  }
  const std::string remark = is_csv(file) ? fmt::format(" beside the target {}", plan->target) : "";
  return about_rows(file, *tables, tables->columns.size(), remark, rows);
}

// What the owner's rules make of this table in a masked run (docs/privacy.md).
CheckLine check_rules(const network::ClientSettings& settings, std::size_t rows) {
  const network::DisclosureRules rules = settings.rules();
  if (rows < rules.min_rows) {
    return {Level::Warning, "rules",
            fmt::format("{} rows are fewer than min-rows ({}): this client takes part in no masked run without noise",
                        rows, rules.min_rows),
            "have more rows, or lower min-rows where their owner agrees"};
  }
  const std::uint64_t shown = rules.directions_of(rows * (rules.min_sum - 1));  // without another one
  return {Level::Fine, "rules",
          fmt::format("masked sums are over {} clients at least; a sum over {} tables of this size shows at most {} "
                      "directions of their rows: a fit of up to {} columns, the intercept and the target with them, is "
                      "never refused for that",
                      settings.min_sum == 0 ? "all" : std::to_string(rules.min_sum), rules.min_sum, shown, shown),
          ""};
}

// One finding of the probe says how far it came: what lies before is fine.
void add_connection(const std::string& server, const security::Finding& finding, CheckLines& lines) {
  const auto add = [&](Stage reached, const char* about, const std::string& message) {
    if (finding.stage > reached) {
      lines.push_back({Level::Fine, about, message, ""});
      return true;
    }
    lines.push_back({finding.ok ? Level::Fine : Level::Bad, about, finding.message, finding.advice});
    return false;
  };
  if (!add(Stage::Resolve, "name", fmt::format("the host of {} is known", server))) return;
  if (!add(Stage::Connect, "port", fmt::format("{} accepts connections", server))) return;
  lines.push_back({finding.ok ? Level::Fine : Level::Bad, "tls", finding.message, finding.advice});
}

void check_connection(const network::ClientSettings& settings, const CheckOptions& options, CheckLines& lines) {
  const auto place = security::parse_host_and_port(settings.server);
  if (!place) return lines.push_back({Level::Bad, "server", place.error().message, "mend it in the settings"});
  if (options.offline) return;
  if (settings.insecure) {
    return add_connection(settings.server, security::plain_probe(place->host, place->port, options.timeout), lines);
  }
  const auto credentials = security::read_credentials(credential_files(settings.tls));
  if (!credentials) {
    return lines.push_back({Level::Bad, "tls", "not tried without certificate, key and ca", "see above"});
  }
  add_connection(settings.server, security::tls_probe(place->host, place->port, *credentials, options.timeout), lines);
}

}  // namespace

CheckLines check_client(const network::ClientSettings& settings, const CheckOptions& options) {
  CheckLines lines;
  if (const auto fine = check(settings); !fine) {
    return {{Level::Bad, "settings", fine.error().message, "mend the file"}};
  }
  lines.push_back({Level::Fine, "settings", fmt::format("client '{}' of {}", settings.name, settings.server), ""});
  KnownRows rows;
  lines.push_back(check_data(settings, options, rows));
  if (rows) lines.push_back(check_rules(settings, *rows));
  check_credentials(settings.tls, settings.insecure, security::Role::Client, settings.name, lines);
  check_folder("state", settings.state, lines);
  if (!settings.ledger.empty()) check_folder("ledger", settings.ledger, lines);
  if (const fs::path secret = fs::path(settings.state) / "secret"; security::readable_by_others(secret)) {
    lines.push_back({Level::Warning, "state",
                     fmt::format("{} can be read by other users of this machine", secret.string()),
                     fmt::format("chmod 600 {}", secret.string())});
  }
  check_connection(settings, options, lines);
  return lines;
}

}  // namespace fedrk::app
