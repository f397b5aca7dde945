// SPDX-License-Identifier: Apache-2.0
#include "run_folder.hpp"

#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "commands.hpp"
#include "fedrk/io/write_file.hpp"
#include "fedrk/store/journal_engine.hpp"
#include "interrupt.hpp"
#include "present.hpp"

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
  identity.rounds = plan.run_options().rounds;
  return io::write_file(folder / "plan.toml", identity.plan);
}

void or_throw(const Result<void>& done) {
  if (!done) throw store::StoreFailed(done.error().message);
}

template <class Number>
std::string_view bytes_of(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};  // NOLINT: as they are in memory
}

void close_books(const io::FinishedRun& run, store::RunStore& store) {
  const Termination why = run.result.termination;
  const std::string state = io::status_of(run), reason = io::stop_reason_of(why);
  or_throw(store.put_document("x", bytes_of(std::span(run.result.x))));
  or_throw(store.put_document("selection_counts", bytes_of(std::span(run.selection_counts))));
  or_throw(store.add_event("info", "ended", io::stop_words(run)));
  or_throw(broken_off(why) ? store.set_state(state, reason) : store.finish(state, reason));
}

}  // namespace

bool is_unfinished(const fs::path& folder) {
  if (!fs::exists(folder / "run.db")) return false;
  const auto store = store::RunStore::open(folder / "run.db", store::RunStore::Access::Read);
  const auto over = store ? is_over(*store) : Result<bool>(true);
  return over && !*over;
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

int execute(Engine& inner, const io::Plan& plan, io::Problem problem, RunFolder& run_folder, ExecuteOptions options) {
  store::RunJournal journal(run_folder.store, options.policy);
  store::JournalEngine engine(inner, journal, options.run.stop);
  store::RoundRecorder recorder(journal);
  options.run.observers.push_back(&recorder);
  or_throw(run_folder.store.set_state("running"));
  or_throw(run_folder.store.add_event("info", journal.found() > 0 ? "resumed" : "started",
                                      journal.first() > 0
                                          ? fmt::format("from question {}, with {} answers in run.db", journal.first(),
                                                        journal.found() - journal.first())
                                          : fmt::format("with {} answers in run.db", journal.found())));
  const io::FinishedRun run = show_run(engine, plan, std::move(problem), options.run, options.progress);
  broken_off(run.result.termination) ? journal.flush() : journal.flush_rounds();
  // The files first: whatever becomes of the terminal or of this process, the result is safe.
  const auto report = write_files(run, run_folder.folder);
  if (!report) return complain(report.error().message, kRunFailed);
  close_books(run, run_folder.store);
  if (options.on_end) options.on_end(run);
  return present(run, options.format, *report);
}

}  // namespace fedrk::app
