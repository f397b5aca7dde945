// SPDX-License-Identifier: Apache-2.0
#include "fedrk/network/settings.hpp"

#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "io/option_values.hpp"

namespace fedrk::network {
namespace {

using io::OptionKind;
using io::Values;
using operation::LogFormat;
using operation::LogLevel;

constexpr io::Words<LogFormat> kFormats[] = {{"text", LogFormat::Text}, {"json", LogFormat::Json}};
constexpr io::Words<LogLevel> kLevels[] = {
    {"debug", LogLevel::Debug}, {"info", LogLevel::Info}, {"warn", LogLevel::Warning}, {"error", LogLevel::Error}};
constexpr io::Words<bool> kDraws[] = {{"secret", false}, {"plan", true}};
constexpr io::Words<bool> kReveals[] = {{"sums", false}, {"updates", true}};
constexpr std::size_t kLeastSum = 3;  // in a sum of two, each could compute the other's part

Values text_or_nothing(const std::string& text) { return text.empty() ? Values{} : Values{text}; }
Values switch_text(bool on) { return {on ? "true" : "false"}; }
Values number_or_word(double number, std::string_view word) {
  return {number == 0.0 ? std::string(word) : io::to_text(number)};
}
Values whole_or_word(std::size_t number, std::string_view word) {
  return {number == 0 ? std::string(word) : std::to_string(number)};
}
Values megabytes(std::size_t bytes) { return {std::to_string(bytes >> 20)}; }

Result<void> set_seconds_or(const Values& values, std::string_view word, double& field) {
  if (values == Values{std::string(word)}) {
    field = 0.0;
    return {};
  }
  return io::set_positive(values, field);
}

constexpr std::string_view kConnection = "Connection", kData = "Data", kPrivacy = "Privacy", kRun = "Run",
                           kLimits = "Limits", kLog = "Log";

#define FEDRK_SET(Settings, expression) [](Settings& s, const Values& v) -> Result<void> { return expression; }
#define FEDRK_GET(Settings, expression) [](const Settings& s) -> Values { return expression; }
#define FEDRK_CLIENT_SET(expression) FEDRK_SET(ClientSettings, expression)
#define FEDRK_CLIENT_GET(expression) FEDRK_GET(ClientSettings, expression)
#define FEDRK_SERVER_SET(expression) FEDRK_SET(ServerSettings, expression)
#define FEDRK_SERVER_GET(expression) FEDRK_GET(ServerSettings, expression)

// What both kinds of file have.
#define FEDRK_COMMON(SETTINGS)                                                                \
  {"certificate",                                                                             \
   kConnection,                                                                               \
   OptionKind::Path,                                                                          \
   "FILE",                                                                                    \
   "own certificate (PEM)",                                                                   \
   FEDRK_SET(SETTINGS, io::set_text(v, s.tls.certificate)),                                   \
   FEDRK_GET(SETTINGS, text_or_nothing(s.tls.certificate))},                                  \
      {"key",                                                                                 \
       kConnection,                                                                           \
       OptionKind::Path,                                                                      \
       "FILE",                                                                                \
       "its private key (PEM)",                                                               \
       FEDRK_SET(SETTINGS, io::set_text(v, s.tls.key)),                                       \
       FEDRK_GET(SETTINGS, text_or_nothing(s.tls.key))},                                      \
      {"ca",                                                                                  \
       kConnection,                                                                           \
       OptionKind::Path,                                                                      \
       "FILE",                                                                                \
       "certificate of the federation's CA: whom to believe (PEM)",                           \
       FEDRK_SET(SETTINGS, io::set_text(v, s.tls.ca)),                                        \
       FEDRK_GET(SETTINGS, text_or_nothing(s.tls.ca))},                                       \
      {"insecure",                                                                            \
       kConnection,                                                                           \
       OptionKind::Switch,                                                                    \
       "",                                                                                    \
       "no TLS: anybody may read along, and be anybody",                                      \
       FEDRK_SET(SETTINGS, io::set_switch(v, s.insecure)),                                    \
       FEDRK_GET(SETTINGS, switch_text(s.insecure))},                                         \
      {"max-message",                                                                         \
       kLimits,                                                                               \
       OptionKind::Number,                                                                    \
       "MB",                                                                                  \
       "largest message that is taken",                                                       \
       FEDRK_SET(SETTINGS, io::set_megabytes(v, s.largest_message)),                          \
       FEDRK_GET(SETTINGS, megabytes(s.largest_message))},                                    \
      {"max-vector",                                                                          \
       kLimits,                                                                               \
       OptionKind::Number,                                                                    \
       "MB",                                                                                  \
       "longest vector that is taken, all its pieces together",                               \
       FEDRK_SET(SETTINGS, io::set_megabytes(v, s.longest_vector)),                           \
       FEDRK_GET(SETTINGS, megabytes(s.longest_vector))},                                     \
      {"log-format",                                                                          \
       kLog,                                                                                  \
       OptionKind::Text,                                                                      \
       "text|json",                                                                           \
       "lines for people, or one JSON object a line",                                         \
       FEDRK_SET(SETTINGS, io::set_choice<LogFormat>(v, kFormats, s.log.format)),             \
       FEDRK_GET(SETTINGS, {io::word_of<LogFormat>(kFormats, s.log.format)})},                \
  {                                                                                           \
    "log-level", kLog, OptionKind::Text, "debug|info|warn|error", "the least that is logged", \
        FEDRK_SET(SETTINGS, io::set_choice<LogLevel>(v, kLevels, s.log.level)),               \
        FEDRK_GET(SETTINGS, {io::word_of<LogLevel>(kLevels, s.log.level)})                    \
  }

#define FEDRK_EXPOSE(SETTINGS)                                                                                         \
  {                                                                                                                    \
    "expose-rows", kPrivacy, OptionKind::Switch, "",                                                                   \
        "with single updates: also where one shows a row outright (one local step, one participant, one server step)", \
        FEDRK_SET(SETTINGS, io::set_switch(v, s.expose_rows)), FEDRK_GET(SETTINGS, switch_text(s.expose_rows))         \
  }

constexpr auto kClientOptions = std::to_array<io::Option<ClientSettings>>({
    {"server", kConnection, OptionKind::Text, "HOST:PORT", "the server, as its certificate names it",
     FEDRK_CLIENT_SET(io::set_text(v, s.server)), FEDRK_CLIENT_GET(text_or_nothing(s.server))},
    {"name", kConnection, OptionKind::Text, "NAME", "this client's name, as its certificate says it",
     FEDRK_CLIENT_SET(io::set_text(v, s.name)), FEDRK_CLIENT_GET(text_or_nothing(s.name))},
    FEDRK_COMMON(ClientSettings),
    {"wait", kConnection, OptionKind::Number, "SECONDS", "how long to go on trying to reach the server",
     FEDRK_CLIENT_SET(io::set_positive(v, s.wait)), FEDRK_CLIENT_GET({io::to_text(s.wait)})},
    {"data", kData, OptionKind::Path, "FILE", "this client's table (CSV, LIBSVM), with the plan's target",
     FEDRK_CLIENT_SET(io::set_text(v, s.files.data)), FEDRK_CLIENT_GET(text_or_nothing(s.files.data))},
    {"matrix", kData, OptionKind::Path, "FILE", "or this client's matrix (Matrix Market, NPY)",
     FEDRK_CLIENT_SET(io::set_text(v, s.files.matrix)), FEDRK_CLIENT_GET(text_or_nothing(s.files.matrix))},
    {"rhs", kData, OptionKind::Path, "FILE", "with its right-hand side", FEDRK_CLIENT_SET(io::set_text(v, s.files.rhs)),
     FEDRK_CLIENT_GET(text_or_nothing(s.files.rhs))},
    {"state", kData, OptionKind::Path, "DIR", "folder for what this client must remember, and for the result",
     FEDRK_CLIENT_SET(io::set_text(v, s.state)), FEDRK_CLIENT_GET(text_or_nothing(s.state))},
    {"draws", kData, OptionKind::Text, "secret|plan",
     "where random draws come from: a secret of this client, or the plan's seed, which the server knows (for tests)",
     FEDRK_CLIENT_SET(io::set_choice<bool>(v, kDraws, s.known_draws)),
     FEDRK_CLIENT_GET({io::word_of<bool>(kDraws, s.known_draws)})},
    {"reveal", kPrivacy, OptionKind::Text, "sums|updates",
     "what the server may see: masked sums over several clients; or also this client's single updates, from which rows "
     "can be rebuilt",
     FEDRK_CLIENT_SET(io::set_choice<bool>(v, kReveals, s.reveal_updates)),
     FEDRK_CLIENT_GET({io::word_of<bool>(kReveals, s.reveal_updates)})},
    {"min-sum", kPrivacy, OptionKind::Number, "N|all",
     "take part in sums over N clients or more only; all: over every client of the run",
     FEDRK_CLIENT_SET(io::set_whole<std::size_t>(v, s.min_sum, kLeastSum, {"all", 0})),
     FEDRK_CLIENT_GET(whole_or_word(s.min_sum, "all"))},
    FEDRK_EXPOSE(ClientSettings),
    {"epsilon", kPrivacy, OptionKind::Number, "EPS|none",
     "the most that these rows may ever give away under differential privacy, all runs together",
     FEDRK_CLIENT_SET(io::set_epsilon(v, s.privacy_epsilon)),
     FEDRK_CLIENT_GET(number_or_word(s.privacy_epsilon, "none"))},
    {"delta", kPrivacy, OptionKind::Number, "DELTA", "at this delta",
     FEDRK_CLIENT_SET(io::set_positive(v, s.privacy_delta)), FEDRK_CLIENT_GET({io::to_text(s.privacy_delta)})},
});

constexpr auto kServerOptions = std::to_array<io::Option<ServerSettings>>({
    {"listen", kConnection, OptionKind::Text, "ADDRESS:PORT", "where to wait for clients; port 0: any that is free",
     FEDRK_SERVER_SET(io::set_text(v, s.listen)), FEDRK_SERVER_GET(text_or_nothing(s.listen))},
    {"clients", kConnection, OptionKind::Texts, "NAME", "who may join, in the order of the clients (may be repeated)",
     FEDRK_SERVER_SET(io::set_list(v, s.clients)), FEDRK_SERVER_GET(s.clients)},
    FEDRK_COMMON(ServerSettings),
    {"crl", kConnection, OptionKind::Path, "FILE", "revoked certificates (PEM); looked at again when it changes",
     FEDRK_SERVER_SET(io::set_text(v, s.crl)), FEDRK_SERVER_GET(text_or_nothing(s.crl))},
    {"plan", kRun, OptionKind::Path, "FILE", "the plan of the run", FEDRK_SERVER_SET(io::set_text(v, s.plan)),
     FEDRK_SERVER_GET(text_or_nothing(s.plan))},
    {"out", kRun, OptionKind::Path, "DIR", "folder of the run; one that holds an unfinished run is gone on with",
     FEDRK_SERVER_SET(io::set_text(v, s.out)), FEDRK_SERVER_GET(text_or_nothing(s.out))},
    {"metrics", kRun, OptionKind::Text, "ADDRESS:PORT", "where to show /healthz and /metrics, such as 127.0.0.1:9464",
     FEDRK_SERVER_SET(io::set_text(v, s.metrics)), FEDRK_SERVER_GET(text_or_nothing(s.metrics))},
    {"min-sum", kPrivacy, OptionKind::Number, "N", "clients in a masked sum, at least",
     FEDRK_SERVER_SET(io::set_whole<std::size_t>(v, s.min_sum, kLeastSum)),
     FEDRK_SERVER_GET({std::to_string(s.min_sum)})},
    {"unmasked", kPrivacy, OptionKind::Switch, "",
     "let parts of sums come in the clear, for tests: the server then sees single updates, and every client must say "
     "--reveal updates",
     FEDRK_SERVER_SET(io::set_switch(v, s.unmasked)), FEDRK_SERVER_GET(switch_text(s.unmasked))},
    FEDRK_EXPOSE(ServerSettings),
    {"enough", kLimits, OptionKind::Number, "N|all", "clients to begin with when the time for joining is over",
     FEDRK_SERVER_SET(io::set_whole<std::size_t>(v, s.enough, 1, {"all", 0})),
     FEDRK_SERVER_GET(whole_or_word(s.enough, "all"))},
    {"quorum", kLimits, OptionKind::Number, "N|half", "answers that a round needs",
     FEDRK_SERVER_SET(io::set_whole<std::size_t>(v, s.quorum, 1, {"half", 0})),
     FEDRK_SERVER_GET(whole_or_word(s.quorum, "half"))},
    {"join-limit", kLimits, OptionKind::Number, "SECONDS", "how long to wait for clients to join, and to come back",
     FEDRK_SERVER_SET(io::set_positive(v, s.join_limit)), FEDRK_SERVER_GET({io::to_text(s.join_limit)})},
    {"reply-limit", kLimits, OptionKind::Number, "SECONDS", "how long a client may take to answer",
     FEDRK_SERVER_SET(io::set_positive(v, s.reply_limit)), FEDRK_SERVER_GET({io::to_text(s.reply_limit)})},
    {"away-limit", kLimits, OptionKind::Number, "SECONDS", "how long a round waits for a client that was lost",
     FEDRK_SERVER_SET(io::set_positive(v, s.away_limit)), FEDRK_SERVER_GET({io::to_text(s.away_limit)})},
    {"run-limit", kLimits, OptionKind::Number, "SECONDS|none", "how long the run may take",
     FEDRK_SERVER_SET(set_seconds_or(v, "none", s.run_limit)), FEDRK_SERVER_GET(number_or_word(s.run_limit, "none"))},
    {"heartbeat", kLimits, OptionKind::Number, "SECONDS", "how often a client is to be heard at least",
     FEDRK_SERVER_SET(io::set_positive(v, s.heartbeat)), FEDRK_SERVER_GET({io::to_text(s.heartbeat)})},
    {"wrong-limit", kLimits, OptionKind::Number, "N", "wrong answers until a client is put aside",
     FEDRK_SERVER_SET(io::set_whole<std::size_t>(v, s.wrong_limit, 1)),
     FEDRK_SERVER_GET({std::to_string(s.wrong_limit)})},
    {"max-connections", kLimits, OptionKind::Number, "N|auto", "connections at one time; auto: twice the clients",
     FEDRK_SERVER_SET(io::set_whole<std::size_t>(v, s.most_connections, 1, {"auto", 0})),
     FEDRK_SERVER_GET(whole_or_word(s.most_connections, "auto"))},
    {"max-memory", kLimits, OptionKind::Number, "MB", "memory that connections may take",
     FEDRK_SERVER_SET(io::set_megabytes(v, s.memory)), FEDRK_SERVER_GET(megabytes(s.memory))},
});

#undef FEDRK_EXPOSE
#undef FEDRK_COMMON
#undef FEDRK_SERVER_GET
#undef FEDRK_SERVER_SET
#undef FEDRK_CLIENT_GET
#undef FEDRK_CLIENT_SET
#undef FEDRK_GET
#undef FEDRK_SET

// A piece of a vector is a megabyte and its frame.
Result<void> check_sizes(std::size_t largest_message, std::size_t longest_vector) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  if (largest_message < 2 * kMegabyte) return Error{"--max-message: at least 2"};
  if (longest_vector < kMegabyte) return Error{"--max-vector: at least 1"};
  return {};
}

Result<void> check_tls(const TlsFiles& tls, bool insecure) {
  const bool complete = !tls.certificate.empty() && !tls.key.empty() && !tls.ca.empty();
  if (complete || insecure) return {};
  return Error{"certificate, key and ca are needed (fedrk provision makes them); --insecure does without, for tests"};
}

}  // namespace

std::span<const io::Option<ClientSettings>> client_options() { return kClientOptions; }
std::span<const io::Option<ServerSettings>> server_options() { return kServerOptions; }

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
  if (const auto read = io::read_options(file, "a server's settings", server_options(), settings); !read) {
    return read.error();
  }
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
  if (const auto fine = check_sizes(settings.largest_message, settings.longest_vector); !fine) return fine.error();
  return check_tls(settings.tls, settings.insecure);
}

Result<void> check(const ServerSettings& settings) {
  if (settings.clients.empty()) return Error{"no clients: list who may join as clients = [...] in server.toml"};
  std::set<std::string> seen;
  for (const std::string& name : settings.clients) {
    if (!seen.insert(name).second) return Error{fmt::format("'{}' is listed twice among the clients", name)};
  }
  if (settings.enough > settings.clients.size()) {
    return Error{fmt::format("--enough {}: only {} clients are listed", settings.enough, settings.clients.size())};
  }
  if (settings.out.empty()) return Error{"no folder for the run: give --out DIR"};
  if (const auto fine = check_sizes(settings.largest_message, settings.longest_vector); !fine) return fine.error();
  if (settings.heartbeat < 0.01) return Error{"--heartbeat: at least 0.01"};
  if (settings.memory == 0) return Error{"--max-memory: at least 1"};
  return check_tls(settings.tls, settings.insecure);
}

}  // namespace fedrk::network
