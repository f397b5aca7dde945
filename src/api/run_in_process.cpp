// SPDX-License-Identifier: Apache-2.0
#include "api/run_in_process.hpp"

#include <utility>

#include "fedrk/in_process_engine.hpp"

namespace fedrk::api {

io::FinishedRun run_in_process(const io::Plan& plan, io::ClientTables tables, std::size_t threads,
                               const RunPlanOptions& options) {
  if (const auto fine = io::check_method(plan); !fine) throw InvalidArgument(fine.error().message);
  io::resolve(plan).run.validate(tables.systems.size(), tables.columns.size() + (plan.intercept ? 1 : 0));
  auto federation = io::make_federation(plan, std::move(tables));
  if (!federation) throw InvalidData(federation.error().message);
  InProcessEngine engine(std::move(federation->clients), threads);
  return run_plan(engine, plan, std::move(federation->problem), options);
}

}  // namespace fedrk::api
