// SPDX-License-Identifier: Apache-2.0
#include "plan/settings.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "methods/exposure.hpp"
#include "plan/option_values.hpp"
#include "plan/plan_options.hpp"

namespace fedrk::network {
namespace {

using io::OptionKind;
using io::Values;
using operation::LogFormat;
using operation::LogLevel;

constexpr io::ChoiceName<LogFormat> kFormats[] = {{"text", LogFormat::Text}, {"json", LogFormat::Json}};
constexpr io::ChoiceName<LogLevel> kLevels[] = {
    {"debug", LogLevel::Debug}, {"info", LogLevel::Info}, {"warn", LogLevel::Warning}, {"error", LogLevel::Error}};
constexpr io::ChoiceName<bool> kDraws[] = {{"secret", false}, {"plan", true}};
constexpr io::ChoiceName<bool> kReveals[] = {{"sums", false}, {"updates", true}};
constexpr std::size_t kMinSum = 3;  // in a sum of two, each could compute the other's part

Values text_or_nothing(const std::string& text) { return text.empty() ? Values{} : Values{text}; }
Values switch_text(bool on) { return {on ? "true" : "false"}; }
Values number_or_word(double number, std::string_view word) {
  return {number == 0.0 ? std::string(word) : io::to_text(number)};
}
Values whole_or_word(std::size_t number, std::string_view word) {
  return {number == 0 ? std::string(word) : std::to_string(number)};
}
Values megabytes(std::size_t bytes) { return {std::to_string(bytes >> 20)}; }

constexpr std::string_view kConnection = "Connection", kData = "Data", kPrivacy = "Privacy", kRun = "Run",
                           kLimits = "Limits", kLog = "Log";
constexpr std::string_view kGroups[] = {kConnection, kData, kRun, kPrivacy, kLimits, kLog};

#define FEDRK_SET(Settings, expression) [](Settings& s, const Values& v) -> Result<void> { return expression; }
#define FEDRK_GET(Settings, expression) [](const Settings& s) -> Values { return expression; }
#define FEDRK_CLIENT_SET(expression) FEDRK_SET(ClientSettings, expression)
#define FEDRK_CLIENT_GET(expression) FEDRK_GET(ClientSettings, expression)
#define FEDRK_SERVER_SET(expression) FEDRK_SET(ServerSettings, expression)
#define FEDRK_SERVER_GET(expression) FEDRK_GET(ServerSettings, expression)

// What both kinds of file have.
template <class Settings>
constexpr auto kCommon = std::to_array<io::Option<Settings>>({
    {"certificate", kConnection, OptionKind::Path, "FILE", "certificate of this participant (PEM)",
     FEDRK_SET(Settings, io::set_text(v, s.tls.certificate)), FEDRK_GET(Settings, text_or_nothing(s.tls.certificate))},
    {"key", kConnection, OptionKind::Path, "FILE", "private key of the certificate (PEM)",
     FEDRK_SET(Settings, io::set_text(v, s.tls.key)), FEDRK_GET(Settings, text_or_nothing(s.tls.key))},
    {"ca", kConnection, OptionKind::Path, "FILE", "certificate of the federation's authority (PEM)",
     FEDRK_SET(Settings, io::set_text(v, s.tls.ca)), FEDRK_GET(Settings, text_or_nothing(s.tls.ca))},
    {"insecure", kConnection, OptionKind::Switch, "", "disable TLS and authentication, for tests",
     FEDRK_SET(Settings, io::set_switch(v, s.insecure)), FEDRK_GET(Settings, switch_text(s.insecure))},
    {"expose-rows", kPrivacy, OptionKind::Switch, "",
     "allow plans whose updates show rows directly (one local step, one participant or one server step)",
     FEDRK_SET(Settings, io::set_switch(v, s.expose_rows)), FEDRK_GET(Settings, switch_text(s.expose_rows))},
    {"max-message", kLimits, OptionKind::Number, "MB", "maximum size of a message",
     FEDRK_SET(Settings, io::set_megabytes(v, s.largest_message)), FEDRK_GET(Settings, megabytes(s.largest_message))},
    {"log-format", kLog, OptionKind::Text, "text|json", "log format: text, or one JSON object per line",
     FEDRK_SET(Settings, io::set_choice<LogFormat>(v, kFormats, s.log.format)),
     FEDRK_GET(Settings, {io::word_of<LogFormat>(kFormats, s.log.format)})},
    {"log-level", kLog, OptionKind::Text, "debug|info|warn|error", "minimum level of log messages",
     FEDRK_SET(Settings, io::set_choice<LogLevel>(v, kLevels, s.log.level)),
     FEDRK_GET(Settings, {io::word_of<LogLevel>(kLevels, s.log.level)})},
});

/// A table with the common entries in it, group by group.
template <class Settings>
std::vector<io::Option<Settings>> with_common(std::span<const io::Option<Settings>> own) {
  std::vector<io::Option<Settings>> all(own.begin(), own.end());
  all.insert(all.end(), kCommon<Settings>.begin(), kCommon<Settings>.end());
  const auto place = [](const io::Option<Settings>& option) {
    return std::ranges::find(kGroups, option.group) - std::begin(kGroups);
  };
  std::ranges::stable_sort(all, {}, place);
  return all;
}

constexpr auto kClientOptions = std::to_array<io::Option<ClientSettings>>({
    {"server", kConnection, OptionKind::Text, "HOST:PORT", "address of the server, as in its certificate",
     FEDRK_CLIENT_SET(io::set_text(v, s.server)), FEDRK_CLIENT_GET(text_or_nothing(s.server))},
    {"name", kConnection, OptionKind::Text, "NAME", "name of this client, as in its certificate",
     FEDRK_CLIENT_SET(io::set_text(v, s.name)), FEDRK_CLIENT_GET(text_or_nothing(s.name))},
    {"wait", kConnection, OptionKind::Number, "SECONDS", "time limit for reaching the server",
     FEDRK_CLIENT_SET(io::set_seconds(v, s.wait)), FEDRK_CLIENT_GET({io::to_text(s.wait)})},
    {"max-vector", kLimits, OptionKind::Number, "MB", "maximum size of a vector",
     FEDRK_CLIENT_SET(io::set_megabytes(v, s.max_vector)), FEDRK_CLIENT_GET(megabytes(s.max_vector))},
    {"data", kData, OptionKind::Path, "FILE", "table of this client (CSV, LIBSVM), with the plan's target column",
     FEDRK_CLIENT_SET(io::set_text(v, s.files.data)), FEDRK_CLIENT_GET(text_or_nothing(s.files.data))},
    {"matrix", kData, OptionKind::Path, "FILE",
     "coefficient matrix of this client (Matrix Market, NPY), in place of a table",
     FEDRK_CLIENT_SET(io::set_text(v, s.files.matrix)), FEDRK_CLIENT_GET(text_or_nothing(s.files.matrix))},
    {"rhs", kData, OptionKind::Path, "FILE", "right-hand side of the matrix",
     FEDRK_CLIENT_SET(io::set_text(v, s.files.rhs)), FEDRK_CLIENT_GET(text_or_nothing(s.files.rhs))},
    {"state", kData, OptionKind::Path, "DIR", "folder for secrets, the privacy ledger and the result",
     FEDRK_CLIENT_SET(io::set_text(v, s.state)), FEDRK_CLIENT_GET(text_or_nothing(s.state))},
    {"ledger", kData, OptionKind::Path, "DIR",
     "folder for the privacy ledger, one for all clients of this owner; default: the state folder",
     FEDRK_CLIENT_SET(io::set_text(v, s.ledger)), FEDRK_CLIENT_GET(text_or_nothing(s.ledger))},
    {"draws", kData, OptionKind::Text, "secret|plan",
     "source of random draws: a secret of this client, or the plan's seed, which the server knows (for tests)",
     FEDRK_CLIENT_SET(io::set_choice<bool>(v, kDraws, s.known_draws)),
     FEDRK_CLIENT_GET({io::word_of<bool>(kDraws, s.known_draws)})},
    {"reveal", kPrivacy, OptionKind::Text, "sums|updates",
     "what the server may see: masked sums over several clients, or single updates of this client, from which rows can "
     "be reconstructed",
     FEDRK_CLIENT_SET(io::set_choice<bool>(v, kReveals, s.reveal_updates)),
     FEDRK_CLIENT_GET({io::word_of<bool>(kReveals, s.reveal_updates)})},
    {"min-sum", kPrivacy, OptionKind::Number, "N|all",
     "minimum number of clients in a sum; all: every client of the run",
     FEDRK_CLIENT_SET(io::set_whole<std::size_t>(v, s.min_sum, kMinSum, {"all", 0})),
     FEDRK_CLIENT_GET(whole_or_word(s.min_sum, "all"))},
    {"min-rows", kPrivacy, OptionKind::Number, "N",
     "minimum number of rows of this client, and of records that change between two runs",
     FEDRK_CLIENT_SET(io::set_whole<std::size_t>(v, s.min_rows, 0)), FEDRK_CLIENT_GET({std::to_string(s.min_rows)})},
    {"max-share", kPrivacy, OptionKind::Number, "SHARE",
     "maximum number of directions of the rows that all sums together may show, for each row in a sum",
     FEDRK_CLIENT_SET(io::set_positive(v, s.max_share)), FEDRK_CLIENT_GET({io::to_text(s.max_share)})},
    {"left", kPrivacy, OptionKind::Texts, "NAME",
     "client that has left for good: its part in earlier sums may be told by those without it (may be repeated)",
     FEDRK_CLIENT_SET(io::set_list(v, s.left)), FEDRK_CLIENT_GET(s.left)},
    {"epsilon", kPrivacy, OptionKind::Number, "EPS|none", "differential privacy budget of these rows, over all runs",
     FEDRK_CLIENT_SET(io::set_epsilon(v, s.privacy_epsilon)),
     FEDRK_CLIENT_GET(number_or_word(s.privacy_epsilon, "none"))},
    {"delta", kPrivacy, OptionKind::Number, "DELTA", "delta of the privacy budget",
     FEDRK_CLIENT_SET(io::set_positive(v, s.privacy_delta)), FEDRK_CLIENT_GET({io::to_text(s.privacy_delta)})},
});

constexpr auto kServerOptions = std::to_array<io::Option<ServerSettings>>({
    {"listen", kConnection, OptionKind::Text, "ADDRESS:PORT", "address to listen on; port 0: any free port",
     FEDRK_SERVER_SET(io::set_text(v, s.listen)), FEDRK_SERVER_GET(text_or_nothing(s.listen))},
    {"clients", kConnection, OptionKind::Texts, "NAME",
     "client that may join, in the order of client ids (may be repeated)", FEDRK_SERVER_SET(io::set_list(v, s.clients)),
     FEDRK_SERVER_GET(s.clients)},
    {"crl", kConnection, OptionKind::Path, "FILE", "certificate revocation list (PEM); reloaded when it changes",
     FEDRK_SERVER_SET(io::set_text(v, s.crl)), FEDRK_SERVER_GET(text_or_nothing(s.crl))},
    {"plan", kRun, OptionKind::Path, "FILE", "plan of the run", FEDRK_SERVER_SET(io::set_text(v, s.plan)),
     FEDRK_SERVER_GET(text_or_nothing(s.plan))},
    {"out", kRun, OptionKind::Path, "DIR", "folder of the run; an unfinished run in it is continued",
     FEDRK_SERVER_SET(io::set_text(v, s.out)), FEDRK_SERVER_GET(text_or_nothing(s.out))},
    {"metrics", kRun, OptionKind::Text, "ADDRESS:PORT",
     "address that serves /healthz and /metrics, such as 127.0.0.1:9464", FEDRK_SERVER_SET(io::set_text(v, s.metrics)),
     FEDRK_SERVER_GET(text_or_nothing(s.metrics))},
    {"min-sum", kPrivacy, OptionKind::Number, "N", "minimum number of clients in a masked sum",
     FEDRK_SERVER_SET(io::set_whole<std::size_t>(v, s.min_sum, kMinSum)),
     FEDRK_SERVER_GET({std::to_string(s.min_sum)})},
    {"unmasked", kPrivacy, OptionKind::Switch, "",
     "do not mask sums, for tests: the server sees single updates, and every client must set reveal = \"updates\"",
     FEDRK_SERVER_SET(io::set_switch(v, s.unmasked)), FEDRK_SERVER_GET(switch_text(s.unmasked))},
    {"quorum", kLimits, OptionKind::Number, "N|half", "minimum number of replies in a round; half: of those asked",
     FEDRK_SERVER_SET(io::set_whole<std::size_t>(v, s.quorum, 1, {"half", 0})),
     FEDRK_SERVER_GET(whole_or_word(s.quorum, "half"))},
    {"join-limit", kLimits, OptionKind::Number, "SECONDS", "time limit for clients to join, and to reconnect",
     FEDRK_SERVER_SET(io::set_seconds(v, s.join_limit)), FEDRK_SERVER_GET({io::to_text(s.join_limit)})},
    {"reply-limit", kLimits, OptionKind::Number, "SECONDS", "time limit for a reply",
     FEDRK_SERVER_SET(io::set_seconds(v, s.reply_limit)), FEDRK_SERVER_GET({io::to_text(s.reply_limit)})},
    {"away-limit", kLimits, OptionKind::Number, "SECONDS", "time that a round waits for a disconnected client",
     FEDRK_SERVER_SET(io::set_seconds(v, s.away_limit)), FEDRK_SERVER_GET({io::to_text(s.away_limit)})},
    {"heartbeat", kLimits, OptionKind::Number, "SECONDS",
     "heartbeat interval; a client counts as disconnected after four missed heartbeats",
     FEDRK_SERVER_SET(io::set_seconds(v, s.heartbeat)), FEDRK_SERVER_GET({io::to_text(s.heartbeat)})},
});

#undef FEDRK_SERVER_GET
#undef FEDRK_SERVER_SET
#undef FEDRK_CLIENT_GET
#undef FEDRK_CLIENT_SET
#undef FEDRK_GET
#undef FEDRK_SET

constexpr RemovedOption kRemoved[] = {
    {"max-vector", "removed; the server takes vectors of the length that it asked for"},
    {"max-connections", "removed; the limit is two connections for each client and 16 more"},
    {"max-memory", "removed; messages that are arriving take at most 2 GB"},
    {"wrong-limit", "removed; a client is quarantined after three wrong replies"},
    {"enough", "removed; a run starts with every listed client: take one that stays away off the list"},
    {"run-limit", "removed; \"fedrk stop\" ends a run, as does \"timeout --signal=USR1 SECONDS fedrk server ...\""},
};

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

// A piece of a vector is a megabyte and its frame.
Result<void> check_message_size(std::size_t bytes) {
  if (bytes < 2 * kMegabyte) return Error{"--max-message: at least 2"};
  return {};
}

Result<void> check_tls(const TlsFiles& tls, bool insecure) {
  const bool complete = !tls.certificate.empty() && !tls.key.empty() && !tls.ca.empty();
  if (complete || insecure) return {};
  return Error{"certificate, key and ca are needed (fedrk provision makes them); --insecure does without, for tests"};
}

}  // namespace

std::span<const io::Option<ClientSettings>> client_options() {
  static const auto all = with_common<ClientSettings>(kClientOptions);
  return all;
}

std::span<const io::Option<ServerSettings>> server_options() {
  static const auto all = with_common<ServerSettings>(kServerOptions);
  return all;
}

std::span<const RemovedOption> removed_server_options() { return kRemoved; }

Result<ClientSettings> read_client_settings(const std::filesystem::path& file) {
  ClientSettings settings;
  settings.state = (file.parent_path() / settings.state).string();
  if (const auto read = io::read_options(file, "a client's settings", client_options(), settings); !read) {
    return read.error();
  }
  return settings;
}

Result<ServerSettings> read_server_settings(const std::filesystem::path& file) {
  ServerSettings settings;
  const auto kind_of = [](std::string_view name) -> std::optional<OptionKind> {
    const auto* option = find_option(server_options(), name);
    if (option != nullptr) return option->kind;
    const bool removed = std::ranges::find(kRemoved, name, &RemovedOption::name) != std::end(kRemoved);
    return removed ? std::optional(OptionKind::Text) : std::nullopt;
  };
  const auto set = [&](std::string_view name, const Values& values) -> Result<void> {
    if (const auto* option = find_option(server_options(), name)) return option->set(settings, values);
    return Error{std::string(std::ranges::find(kRemoved, name, &RemovedOption::name)->reason)};
  };
  if (const auto read = io::read_entries(file, "a server's settings", kind_of, set); !read) return read.error();
  return settings;
}

bool is_server_file(const std::filesystem::path& file) {
  int servers = 0, clients = 0;
  const auto count = [&](std::string_view name) -> std::optional<OptionKind> {
    const bool of_server = find_option(server_options(), name) != nullptr;
    const bool of_client = find_option(client_options(), name) != nullptr;
    if (of_server && !of_client) ++servers;
    if (of_client && !of_server) ++clients;
    return OptionKind::Texts;  // takes whatever there is
  };
  (void)io::read_entries(file, "settings", count, [](std::string_view, const Values&) { return Result<void>{}; });
  return servers > clients;
}

Result<void> check(const ClientSettings& settings) {
  if (settings.server.empty()) return Error{"no server: give --server HOST:PORT, or a client.toml"};
  if (settings.name.empty()) return Error{"no name: give --name NAME, as the certificate says it"};
  if (settings.files.data.empty() == settings.files.matrix.empty()) {
    return Error{"give this client's rows: --data FILE, or --matrix FILE with --rhs FILE"};
  }
  if (settings.files.matrix.empty() != settings.files.rhs.empty()) return Error{"--matrix and --rhs go together"};
  if (settings.privacy_delta >= 0.1) return Error{"--delta: below 0.1, and well below one over the number of rows"};
  if (const auto fine = check_message_size(settings.largest_message); !fine) return fine.error();
  if (settings.max_vector < kMegabyte) return Error{"--max-vector: at least 1"};
  return check_tls(settings.tls, settings.insecure);
}

Result<void> check(const ServerSettings& settings) {
  if (settings.clients.empty()) return Error{"no clients: list who may join as clients = [...] in server.toml"};
  std::set<std::string> seen;
  for (const std::string& name : settings.clients) {
    if (!seen.insert(name).second) return Error{fmt::format("'{}' is listed twice among the clients", name)};
  }
  if (settings.out.empty()) return Error{"no folder for the run: give --out DIR"};
  if (const auto fine = check_message_size(settings.largest_message); !fine) return fine.error();
  if (settings.heartbeat < 0.01 || settings.heartbeat > 3600.0) return Error{"--heartbeat: from 0.01 to 3600"};
  return check_tls(settings.tls, settings.insecure);
}

Result<ServerPlan> read_server_plan(const ServerSettings& settings) {
  ServerPlan read;
  io::Plan& plan = read.plan;
  if (!settings.plan.empty()) {
    if (const auto done = io::read_plan(settings.plan, plan); !done) return done.error();
  }
  const io::Plan usual;
  std::vector<std::string_view> names;
  for (const std::string_view name : {"data", "matrix", "rhs", "clients", "partition"}) {
    const io::PlanOption& option = *io::find_plan_option(name);
    if (option.get(plan) != option.get(usual)) names.push_back(name);
  }
  if (!names.empty()) {
    read.left_out = fmt::format("{} {} no effect in a federation, where each client names its own file in its settings",
                                fmt::join(names, ", "), names.size() == 1 ? "has" : "have");
  }
  plan.data.clear();
  plan.matrix.clear();
  plan.rhs.clear();
  plan.clients = usual.clients;
  plan.partition = usual.partition;
  if (const auto fine = io::check_method(plan); !fine) return fine.error();
  return read;
}

bool is_masked(const ServerSettings& settings, const io::Plan& plan) {
  return !settings.unmasked && reveal_of(goal_of(plan.method, plan.run)) == Reveal::Sums;
}

Result<void> check_privacy(const ServerSettings& settings, const io::Plan& plan) {
  const bool masked = is_masked(settings, plan);
  const std::string exposed =
      settings.expose_rows ? "" : exposed_rows(goal_of(plan.method, plan.run), io::resolve(plan).run, masked);
  const std::string advice = exposed + "; where that is all right, say --expose-rows here and at every client";
  if (masked) {
    if (plan.row_sampling == RowSampling::Greedy) {
      return Error{"greedy steps go where the rows lead them, and sums of them show which: not with masked sums"};
    }
    if (!exposed.empty()) return Error{advice};
    const std::size_t all = settings.clients.size();
    const std::size_t each = plan.run.participants == 0 ? all : std::min(all, plan.run.participants);
    if (each >= settings.min_sum) return {};
    return Error{
        fmt::format("{} clients a round are too few for masked sums, which are over {} at least, as with fewer "
                    "each could compute the parts of the others; reveal = \"updates\" in the plan does without",
                    each, settings.min_sum)};
  }
  if (plan.method.privacy.on()) return Error{"differential privacy is for masked sums only: leave --unmasked out"};
  const bool typed = settings.unmasked || plan.method.reveal == Reveal::Updates;
  if (!typed) {
    return Error{
        fmt::format("this plan needs single updates ({}); to allow that, write reveal = \"updates\" into the plan and "
                    "into every client.toml",
                    kUpdatesRevealed)};
  }
  if (exposed.empty()) return {};
  return Error{advice};
}

}  // namespace fedrk::network
