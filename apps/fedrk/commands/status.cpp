// SPDX-License-Identifier: Apache-2.0

// fedrk status: how far a run is, read from its run.db while it goes on.

#include <ctime>
#include <memory>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checkpoint/run_lock.hpp"
#include "checkpoint/run_store.hpp"
#include "commands.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "run_folder.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;
using store::RunProgress;

struct StatusArguments {
  std::string folder;
  OutputFormat format = OutputFormat::Text;
};

struct Status {
  RunProgress run;
  std::optional<pid_t> process;  // that works on it

  /// Its process ended before it did.
  bool abandoned() const { return !process && !run.state.starts_with("finished:"); }
};

std::string time_text(double since_1970) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(static_cast<std::time_t>(since_1970)));
}

template <class Index>
std::vector<std::string> names_of(const RunProgress& run, const std::vector<Index>& clients) {
  std::vector<std::string> names;
  for (const Index client : clients) {
    names.push_back(client < run.clients.size() ? run.clients[client].name : std::to_string(client));
  }
  return names;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json round_or_null(const std::optional<std::uint32_t>& round) {
  return round ? Json(std::uint64_t{*round} + 1) : Json(nullptr);
}

Json to_json(const Status& status) {
  const RunProgress& run = status.run;
  Json document{{"id", run.identity.id},
                {"kind", kind_of(run.identity)},
                {"title", run.identity.title},
                {"state", run.state},
                {"stop_reason", run.stop_reason.empty() ? Json(nullptr) : Json(run.stop_reason)},
                {"alive", status.process.has_value()},
                {"process", or_null(status.process)},
                {"round", round_or_null(run.last_round)},
                {"rounds", run.identity.rounds},
                {"answers", run.answers},
                {"residual", or_null(run.residual)},
                {"participants", names_of(run, run.last_participants)},
                {"absent", names_of(run, run.last_absent)},
                {"started", run.started},
                {"clients", Json::array()},
                {"events", Json::array()}};
  for (const RunProgress::Client& client : run.clients) {
    document["clients"].push_back({{"name", client.name},
                                   {"rows", client.rows},
                                   {"rounds", client.tally.rounds},
                                   {"absences", client.tally.absences},
                                   {"last_round", round_or_null(client.tally.last_round)},
                                   {"last_absence", client.tally.last_absence}});
  }
  for (const store::Event& event : run.events) {
    document["events"].push_back(
        {{"time", event.time}, {"level", event.level}, {"event", event.event}, {"text", event.text}});
  }
  return document;
}

std::string to_text(const std::string& folder, const Status& status) {
  const RunProgress& run = status.run;
  std::string text = fmt::format("{}: {}", folder, run.state);
  if (!run.stop_reason.empty()) text += fmt::format(" ({})", run.stop_reason);
  if (status.process) text += fmt::format(", process {}", *status.process);
  if (status.abandoned()) text += fmt::format(", but no process works on it: \"fedrk resume {}\" goes on", folder);
  text += fmt::format("\nstarted {}\n", time_text(run.started));
  if (run.last_round) {
    const std::uint64_t made = std::uint64_t{*run.last_round} + 1;
    text += made > run.identity.rounds ? fmt::format("round {}, of a refit", made)
                                       : fmt::format("round {} of {}", made, run.identity.rounds);
    text += fmt::format(", {} of {} replied", run.last_participants.size(),
                        run.last_participants.size() + run.last_absent.size());
    if (run.residual) text += fmt::format(", residual {}", brief(*run.residual));
    text += "\n";
  }
  std::vector<std::vector<std::string>> rows{{"client", "rows", "rounds", "absences", "last round"}};
  for (const RunProgress::Client& client : run.clients) {
    rows.push_back({client.name, std::to_string(client.rows), std::to_string(client.tally.rounds),
                    std::to_string(client.tally.absences),
                    client.tally.last_round ? std::to_string(*client.tally.last_round + 1) : "-"});
  }
  text += "\n" + table(rows);
  for (const RunProgress::Client& client : run.clients) {
    if (!client.tally.last_absence.empty())
      text += fmt::format("  {} was last absent: {}\n", client.name, client.tally.last_absence);
  }
  if (!run.events.empty()) text += "\n";
  for (const store::Event& event : run.events) {
    text += fmt::format("{}  {:<5} {}: {}\n", time_text(event.time), event.level, event.event, event.text);
  }
  return text;
}

int show(const StatusArguments& arguments) {
  const auto store = store::RunStore::open(arguments.folder + "/run.db", store::RunStore::Access::Read);
  if (!store) return complain(store.error().message, kBadInput);
  auto run = store->progress();
  if (!run) return complain(run.error().message, kBadInput);
  const Status status{*std::move(run), store::RunLock::holder(arguments.folder)};
  const bool json = arguments.format == OutputFormat::Json;
  const std::string text = json ? to_json(status).dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                                : to_text(arguments.folder, status);
  return print_result(text) ? kDone : kRunFailed;
}

}  // namespace

Command status_command() {
  const auto arguments = std::make_shared<StatusArguments>();
  return {.name = "status",
          .about = "show the progress of a run",
          .arguments = {run_argument(arguments->folder)},
          .flags = {format_flag(arguments->format)},
          .footer = "Example:\n  fedrk status runs/demo",
          .run = [arguments] { return show(*arguments); }};
}

}  // namespace fedrk::app
