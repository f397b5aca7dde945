// SPDX-License-Identifier: Apache-2.0

// fedrk on many machines, as the ranks of an MPI job:
//
//     mpirun -n 8 fedrk_mpi solve plan.toml --out runs/demo
//
// The commands and flags are those of fedrk. Rank 0 carries out the run, prints and writes; the others have clients.

#include <cstdio>

#include "commands.hpp"
#include "fedrk/error.hpp"
#include "fedrk/mpi_ranks.hpp"
#include "output.hpp"
#include "rank_launcher.hpp"
#include "signals.hpp"

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

int run_or_explain(const mpi::Ranks& ranks, int argc, char** argv) {
  if (ranks.rank() != 0) keep_quiet();
  RankLauncher launcher(ranks);
  try {
    return run({"fedrk_mpi",
                "Regressions and linear systems whose rows belong to different owners, on many machines.",
                FEDRK_VERSION,
                kFooter,
                {fit_command(launcher), solve_command(launcher), resume_command(launcher)}},
               argc, argv);
  } catch (...) {  // if the others wait for this rank they end with it, and then it must speak itself
    const Failure failure = current_failure();
    if (ranks.rank() == 0 || launcher.awaited()) std::fprintf(stderr, "fedrk: %s\n", failure.message.c_str());
    if (launcher.awaited() && ranks.count() > 1) ranks.abort(failure.exit_code);
    return failure.exit_code;
  }
}

}  // namespace
}  // namespace fedrk::app

int main(int argc, char** argv) {
  fedrk::app::explain_lost_files();
  try {
    const fedrk::mpi::Ranks ranks(argc, argv);
    return fedrk::app::run_or_explain(ranks, argc, argv);
  } catch (const fedrk::InvalidArgument& error) {
    std::fprintf(stderr, "fedrk: %s\n", error.what());
    return fedrk::app::kBadInput;
  }
}
