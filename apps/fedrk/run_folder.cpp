// SPDX-License-Identifier: Apache-2.0
#include "run_folder.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/write_file.hpp"
#include "plan/plan_options.hpp"
#include "report/result_files.hpp"
#include "signals.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

// Whether a run that ended for this reason can go on.
bool may_go_on(const std::string& stop_reason) {
  for (const Termination why : {Termination::Interrupted, Termination::Deadline, Termination::ClientsLost}) {
    if (stop_reason == io::stop_reason_of(why)) return true;
  }
  return false;
}

Result<bool> is_over(const store::RunStore& store) {
  const auto progress = store.progress(0);
  if (!progress) return progress.error();
  return progress->state.starts_with("finished:") && !may_go_on(progress->stop_reason);
}

Result<void> write_plan(const fs::path& folder, const io::Plan& plan, store::RunIdentity& identity) {
  identity.plan = io::plan_text(plan, folder);
  identity.rounds = io::resolve(plan, identity.roster).run.rounds;
  return io::write_file(folder / "plan.toml", identity.plan);
}

}  // namespace

bool is_unfinished(const fs::path& folder) {
  if (!fs::exists(folder / "run.db")) return false;
  const auto store = store::RunStore::open(folder / "run.db", store::RunStore::Access::Read);
  const auto over = store ? is_over(*store) : Result<bool>(true);
  return over && !*over;
}

std::string kind_of(const store::RunIdentity& identity) {
  if (identity.kind == store::RunKind::Server) return "server";
  const std::string fit = io::to_text(io::Job::Fit), line = io::entry_text("goal", io::OptionKind::Text, {fit}, "");
  return identity.plan.find('\n' + line) == std::string::npos ? io::to_text(io::Job::Solve) : fit;
}

Result<void> check_folder(const fs::path& folder, bool overwrite) {
  if (!overwrite && is_unfinished(folder)) {
    return Error{fmt::format(
        "{0} holds a run that is not finished; \"fedrk resume {0}\" goes on with it, --overwrite begins anew",
        folder.string())};
  }
  if (!overwrite && (fs::exists(folder / "result.json") || fs::exists(folder / "run.db"))) {
    return Error{fmt::format("{} already holds a run; choose another --out, or add --overwrite", folder.string())};
  }
  for (const char* name : {"plan.toml", "solution.csv", "history.csv", "report.html"}) {
    if (overwrite || !fs::exists(folder / name)) continue;
    return Error{
        fmt::format("{} already holds a file {}, which the run would replace; choose another --out, or add "
                    "--overwrite",
                    folder.string(), name)};
  }
  return io::make_writable_folder(folder);
}

Result<RunFolder> begin_run_folder(const fs::path& folder, const io::Plan& plan, store::RunIdentity identity) {
  stop_on_interrupt();  // before the lock tells others whom to stop
  auto lock = store::RunLock::take(folder);
  if (!lock) return lock.error();
  std::error_code ignored;
  for (const char* name :
       {"run.db", "run.db-wal", "run.db-shm", "result.json", "solution.csv", "history.csv", "report.html"}) {
    fs::remove(folder / name, ignored);
  }
  identity.id = store::new_run_id();
  if (const auto written = write_plan(folder, plan, identity); !written) return written.error();
  auto store = store::RunStore::create(folder / "run.db", identity);
  if (!store) return store.error();
  return RunFolder{folder, *std::move(lock), *std::move(store)};
}

Result<RunFolder> reopen_run_folder(const fs::path& folder) {
  stop_on_interrupt();
  if (!fs::exists(folder / "run.db")) {
    return Error{fmt::format("{} holds no run.db: there is nothing to resume", folder.string())};
  }
  auto lock = store::RunLock::take(folder);
  if (!lock) return lock.error();
  auto store = store::RunStore::open(folder / "run.db");
  if (!store) return store.error();
  const auto over = is_over(*store);
  if (!over) return over.error();
  if (*over) return Error{fmt::format("the run in {} is finished: there is nothing to resume", folder.string())};
  return RunFolder{folder, *std::move(lock), *std::move(store)};
}

}  // namespace fedrk::app
