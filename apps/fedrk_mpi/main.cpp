// SPDX-License-Identifier: Apache-2.0

// fedrk on many machines, as the ranks of an MPI job:
//
//     mpirun -n 8 fedrk_mpi solve plan.toml --out runs/demo
//
// The commands and flags are those of fedrk. Rank 0 carries out the run, prints and writes; the others have clients.

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "fedrk/base/error.hpp"
#include "fedrk/mpi/ranks.hpp"
#include "fedrk/store/run_store.hpp"
#include "help.hpp"
#include "lost_file.hpp"
#include "output.hpp"
#include "rank_host.hpp"
#include "resume.hpp"
#include "suggest.hpp"

namespace fedrk::app {
namespace {

constexpr const char* kFooter =
    "Flags, files and exit codes are those of \"fedrk fit\" and \"fedrk solve\". A rank that dies ends the job; "
    "\"resume\" goes on\n"
    "with the run, on any number of ranks. docs/cluster.md tells more.\n\n"
    "Examples:\n"
    "  mpirun -n 8 fedrk_mpi fit site-*.csv --target lpsa\n"
    "  mpirun -n 8 fedrk_mpi solve plan.toml --out runs/demo\n"
    "  mpirun -n 8 fedrk_mpi resume runs/demo\n\n"
    "\"fedrk_mpi COMMAND --help\" tells more about each.";

int parse(CLI::App& program, const mpi::Ranks& ranks, int argc, char** argv) {
  if (argc > 1 && argv[1][0] != '-') {
    const std::string error = command_error(program, argv[1]);
    if (!error.empty()) return complain(error, kBadInput);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return ranks.rank() == 0 ? program.exit(error) : kDone;  // --help, --version
    return complain(usage_error(program, error), kBadInput);
  }
  return kDone;
}

int run(const mpi::Ranks& ranks, RankHost& host, int argc, char** argv) {
  CLI::App program{"Regressions and linear systems whose rows belong to different owners, on many machines."};
  program.name("fedrk_mpi");
  program.set_version_flag("--version", "fedrk_mpi " FEDRK_VERSION);
  program.require_subcommand(1);
  format_help(program);
  program.footer(kFooter);
  int exit_code = kDone;
  add_fit(program, exit_code, host);
  add_solve(program, exit_code, host);
  add_resume(program, exit_code, [&](const ResumeArguments& arguments) { return resume_run(arguments, host); });
  const int parsed = parse(program, ranks, argc, argv);
  return parsed == kDone ? exit_code : parsed;
}

/// An error that came unexpectedly. If the others wait for this rank they end with it, and then it must speak itself.
int failed(const mpi::Ranks& ranks, const RankHost& host, const std::string& words, int exit_code) {
  if (ranks.rank() == 0 || host.awaited()) std::fprintf(stderr, "fedrk: %s\n", words.c_str());
  if (host.awaited() && ranks.count() > 1) ranks.abort(exit_code);
  return exit_code;
}

int run_or_explain(const mpi::Ranks& ranks, int argc, char** argv) {
  if (ranks.rank() != 0) keep_quiet();
  RankHost host(ranks);
  try {
    return run(ranks, host, argc, argv);
  } catch (const InvalidArgument& error) {
    return failed(ranks, host, error.what(), kBadInput);
  } catch (const store::StoreFailed& error) {
    return failed(ranks, host,
                  std::string(error.what()) + "\nWhat was stored before stays: \"resume\" goes on from there.",
                  kRunFailed);
  } catch (const std::bad_alloc&) {
    return failed(ranks, host, "not enough memory for this problem", kRunFailed);
  } catch (const std::exception& error) {
    return failed(ranks, host, std::string("unexpected: ") + error.what(), kRunFailed);
  }
}

}  // namespace
}  // namespace fedrk::app

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then an error of the write, as a full disk is
  fedrk::app::explain_lost_files();
  try {
    const fedrk::mpi::Ranks ranks(argc, argv);
    return fedrk::app::run_or_explain(ranks, argc, argv);
  } catch (const fedrk::InvalidArgument& error) {
    std::fprintf(stderr, "fedrk: %s\n", error.what());
    return fedrk::app::kBadInput;
  }
}
