// SPDX-License-Identifier: Apache-2.0
#include "server_run.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/write_file.hpp"
#include "checkpoint/journal_engine.hpp"
#include "commands.hpp"
#include "execute.hpp"
#include "methods/exposure.hpp"
#include "ops/http_endpoint.hpp"
#include "pki/tls_probe.hpp"
#include "round/run_aborted.hpp"
#include "server_metrics.hpp"
#include "signals.hpp"
#include "transport/protocol/federation_server.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using network::FederationServer;
using network::ServerSettings;

constexpr const char* kFederation = "federation";  // document of run.db

// What run.db holds stays as it is, good to go on from.
template <class Value>
Value or_throw(Result<Value> result) {
  if (!result) throw store::StoreFailed(result.error().message);
  if constexpr (!std::is_void_v<Value>) return *std::move(result);
}

// ---- The run's folder.

Result<RunFolder> begin_run(const ServerSettings& settings, const io::Plan& plan) {
  const fs::path folder = settings.out;
  // Before run.db, which makes it a run: whoever finds that finds all that fedrk resume needs.
  const auto written =
      io::write_file(folder / "server.toml", io::options_text(network::server_options(), settings, folder));
  if (!written) return written.error();
  const std::string title = fs::absolute(folder).lexically_normal().filename().string();
  return begin_run_folder(folder, plan, {.kind = store::RunKind::Server, .title = title});
}

// Whether the folder holds a run of a server, and one that got no answer of its clients yet.
bool is_without_rounds(const fs::path& folder) {
  if (!fs::exists(folder / "run.db") || fs::exists(folder / "result.json")) return false;
  const auto store = store::RunStore::open(folder / "run.db", store::RunStore::Access::Read);
  if (!store || store->identity().kind != store::RunKind::Server) return false;
  const auto answers = store->answers();
  const auto progress = store->progress(0);
  return answers && progress && *answers == 0 && !progress->last_round;
}

// One that cannot be read is not taken for one that is finished.
Result<void> check_run_file(const fs::path& file) {
  if (!fs::exists(file)) return {};
  const auto store = store::RunStore::open(file, store::RunStore::Access::Read);
  const auto progress = store ? store->progress(0) : Result<store::RunProgress>(store.error());
  if (progress) return {};
  return Error{progress.error().message + "; put a copy of it back, or choose another --out for a new run"};
}

// One that is there and not finished is gone on with, if it is the same run. Clients hold the server to one plan a run:
// before the first round a changed plan makes another run, with an id of its own.
Result<RunFolder> open_run(const ServerSettings& settings, const io::Plan& plan) {
  const fs::path folder = settings.out;
  if (const auto readable = check_run_file(folder / "run.db"); !readable) return readable.error();
  const bool replaceable = is_without_rounds(folder);
  if (!is_unfinished(folder)) {
    if (replaceable) return begin_run(settings, plan);
    if (fs::exists(folder / "run.db")) {
      return Error{fmt::format("{} already holds a run, which is finished; choose another --out for a new one",
                               folder.string())};
    }
    if (const auto ready = check_folder(folder, false); !ready) return ready.error();
    return begin_run(settings, plan);
  }
  {
    auto run_folder = reopen_run_folder(folder);
    if (!run_folder) return run_folder.error();
    if (run_folder->store.identity().kind != store::RunKind::Server) {
      return Error{fmt::format("{} holds a run of fedrk {}; choose another --out", folder.string(),
                               kind_of(run_folder->store.identity()))};
    }
    if (run_folder->store.identity().plan == io::plan_text(plan, folder)) return run_folder;
  }
  if (replaceable) {
    say("fedrk: the plan changed before the first round: this is a new run\n");
    return begin_run(settings, plan);
  }
  return Error{
      fmt::format("{0} holds an unfinished run of another plan; choose another --out, or give the plan of "
                  "that run ({1}); \"fedrk resume {0}\" goes on with it as it is",
                  folder.string(), (folder / "plan.toml").string())};
}

// ---- The server.

Result<std::unique_ptr<operation::HttpEndpoint>> start_endpoint(const std::string& address,
                                                                const ServerMetrics& metrics) {
  if (address.empty()) return std::unique_ptr<operation::HttpEndpoint>();
  const auto where = security::parse_host_and_port(address, 0);
  if (!where) return Error{"--metrics: " + where.error().message};
  return operation::HttpEndpoint::start(
      {where->host, where->port}, [&metrics] { return metrics.trouble(); }, [&metrics] { return metrics.metrics(); });
}

// A peer that comes again and again must not fill the disk: of the events of ten seconds the store keeps so many.
class EventBudget {
 public:
  bool allows() {
    const auto now = std::chrono::steady_clock::now();
    if (now - since_ > std::chrono::seconds(10)) {
      since_ = now;
      left_ = kMax;
    }
    return left_ > 0 && left_-- > 0;
  }

 private:
  static constexpr int kMax = 500;
  std::chrono::steady_clock::time_point since_{};
  int left_ = kMax;
};

std::unique_ptr<operation::Log> make_log(const ServerSettings& settings, store::RunStore& store) {
  // All clients may come and go, and somebody else besides.
  const std::size_t most = 500 + 10 * settings.clients.size();
  auto log = operation::make_limited(operation::make_log(settings.log.format, settings.log.level, stderr), most,
                                     std::chrono::seconds(10));
  return operation::make_tee(
      std::move(log), operation::LogLevel::Info,
      [&store, budget = EventBudget()](operation::LogLevel level, std::string_view event, auto fields) mutable {
        if (!budget.allows()) return;
        std::string text;
        for (const operation::LogField& field : fields) {
          text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.key, field.value);
        }
        (void)store.add_event(std::string(operation::word_of(level)), std::string(event), text);
      });
}

// What whoever reads the result must know of how it came about.
void add_warnings(const ServerSettings& settings, const io::Plan& plan, const network::Gathered& gathered,
                  io::Problem& problem) {
  if (settings.insecure) {
    problem.warnings.emplace_back("The run was insecure: without TLS anybody on the way could read and change it.");
  }
  if (!is_masked(settings, plan)) {
    problem.warnings.push_back(fmt::format("In this run {}.", kUpdatesRevealed));
  } else if (settings.insecure) {
    problem.warnings.emplace_back(
        "Without certificates the server could have put itself between the clients' keys: "
        "their sums were masked towards others only.");
  }
  if (!gathered.known_draws.empty()) {
    problem.warnings.push_back(
        fmt::format("The draws of {} derive from the plan's seed, so the server could repeat "
                    "them and read their rows from single updates: for tests only.",
                    fmt::join(gathered.known_draws, ", ")));
  }
}

FederationServer::LastWord last_word(const io::FinishedRun& run, bool comes_back) {
  return {.status = io::status_of(run),
          .reason = io::stop_text(run),
          .final = !(comes_back && resumable(run.result.termination)),
          .names = run.unknowns,
          .coefficients = run.coefficients};
}

/// One server from its opening to the last word.
class Service {
 public:
  Service(const ServerSettings& settings, const io::Plan& plan, const ServeOptions& options, RunFolder run_folder)
      : settings_(settings),
        plan_(plan),
        options_(options),
        folder_(std::move(run_folder)),
        log_(make_log(settings, folder_.store)) {}

  int run();

 private:
  int run_rounds();
  int fail(const std::string& message, const std::string& reason);
  void on_signal(int signal);

  const ServerSettings& settings_;
  const io::Plan& plan_;
  ServeOptions options_;
  RunFolder folder_;
  std::unique_ptr<operation::Log> log_;
  StopSignal stop_;
  std::atomic<bool> comes_back_ = false;  // the process ends, the run does not
  std::mutex mutex_;                      // a signal may come before the server is there
  std::unique_ptr<FederationServer> server_;
  std::optional<ServerMetrics> metrics_;
};

// SIGUSR1 is what fedrk stop sends: it ends the run for the clients too.
void Service::on_signal(int signal) {
  log_->info("stopping", {{"signal", signal}});
  comes_back_ = signal != SIGUSR1;
  const std::lock_guard lock(mutex_);
  stop_.request();
  if (server_) server_->interrupt(Termination::Interrupted, "");
}

int Service::fail(const std::string& message, const std::string& reason) {
  log_->error("failed", {{"reason", message}});
  (void)folder_.store.set_state("finished:failed", reason);
  server_->end({.status = "finished:failed", .reason = message});
  return complain(message, kRunFailed);
}

int Service::run() {
  const auto stored = folder_.store.document(kFederation);
  if (!stored) return complain(stored.error().message, kRunFailed);
  auto options = server_options(settings_, plan_, folder_.store.identity().id, stored->value_or(""), *log_);
  if (!options) return complain(options.error().message, kBadInput);
  std::optional<SignalWatch> signals;
  signals.emplace([this](int signal) { on_signal(signal); });
  if (stop_on_interrupt().requested()) stop_.request();  // one that came before
  auto server = FederationServer::open(*std::move(options), *log_);
  if (!server) return complain(server.error().message, kBadInput);
  {
    const std::lock_guard lock(mutex_);
    server_ = *std::move(server);
    if (stop_.requested()) server_->interrupt(Termination::Interrupted, "");
  }
  metrics_.emplace(*server_);
  const auto endpoint = start_endpoint(settings_.metrics, *metrics_);
  if (!endpoint) return complain(endpoint.error().message, kBadInput);
  const std::string host = settings_.listen.substr(0, settings_.listen.rfind(':'));
  say(fmt::format("fedrk: listening on {}:{}\n", host, server_->port()));
  if (*endpoint) say(fmt::format("fedrk: health and metrics on port {}\n", (*endpoint)->port()));
  if (!is_masked(settings_, plan_)) log_->warning("reveal.updates", {{"note", kUpdatesRevealed}});
  if (settings_.insecure) {
    log_->warning("insecure", {{"note", "no TLS: anybody can join under any listed name, and read along"}});
  }
  const int exit_code = run_rounds();
  signals.reset();  // before the server that it would interrupt
  return exit_code;
}

int Service::run_rounds() try {
  const auto stored = or_throw(folder_.store.document(kFederation));
  auto gathered = server_->gather(stored.value_or(""));
  // Nothing is lost that was reached before: with its clients there, the same command goes on.
  if (!gathered) return fail(gathered.error().message, io::stop_reason_of(Termination::ClientsLost));
  if (!stored) {
    store::RunIdentity identity = folder_.store.identity();
    identity.roster = gathered->roster;
    or_throw(folder_.store.describe(identity));
    or_throw(folder_.store.put_document(kFederation, gathered->stored));
    or_throw(folder_.store.sync());  // clients will hold the server to it
  }
  add_warnings(settings_, plan_, *gathered, gathered->problem);
  const std::uint64_t answers = or_throw(folder_.store.answers());
  log_->info("run.begins", {{"run", folder_.store.identity().id},
                            {"clients", gathered->roster.size()},
                            {"rows", gathered->problem.rows},
                            {"unknowns", gathered->problem.unknowns.size()},
                            {"answers_stored", answers}});
  if (gathered->allowance.vectors != Allowance::kNoLimit) {
    log_->warning("rules.bounded", {{"vectors", gathered->allowance.vectors},
                                    {"columns", gathered->allowance.columns},
                                    {"note",
                                     "the owners let sums show so many vectors of a group's rows, or columns of "
                                     "cross-products (max-share); a run that needs more ends there"}});
  }
  metrics_->set_phase("running");
  const bool masked = is_masked(settings_, plan_);
  const std::size_t min_group = masked ? settings_.min_sum : 1;
  ExecuteOptions options{{folder_.store.identity().title, {&*metrics_}, &stop_, min_group},
                         options_.progress,
                         options_.format,
                         masked ? store::CommitPolicy::Synced : store::CommitPolicy::EachAnswer};
  options.on_end = [this](const io::FinishedRun& run) {
    metrics_->set_phase("ended");
    server_->end(last_word(run, comes_back_));
  };
  return execute(server_->engine(answers), plan_, std::move(gathered->problem), folder_, std::move(options));
} catch (const RunAborted& ended) {  // before the first round
  const bool stopped = ended.why() == Termination::Interrupted;
  if (!stopped) return fail(ended.what(), io::stop_reason_of(ended.why()));
  (void)folder_.store.set_state("finished:stopped", io::stop_reason_of(ended.why()));
  server_->end(
      {.status = "finished:stopped", .reason = "the server was stopped before the first round", .final = !comes_back_});
  return complain("stopped before the first round", kStoppedEarly);
} catch (const store::ReplayDiffers& error) {  // another program or plan: the run itself is as it was
  server_->end({.status = "finished:stopped", .reason = "the server cannot go on as it is", .final = false});
  return complain(error.what(), kBadInput);
} catch (const InvalidArgument& error) {
  return fail(error.what(), "invalid");
}

}  // namespace

int serve(const ServerSettings& settings, const io::Plan& plan, const ServeOptions& options) {
  if (const auto fine = check_privacy(settings, plan); !fine) return complain(fine.error().message, kBadInput);
  auto run_folder = open_run(settings, plan);
  if (!run_folder) return complain(run_folder.error().message, kBadInput);
  return Service(settings, plan, options, *std::move(run_folder)).run();
}

}  // namespace fedrk::app
