// SPDX-License-Identifier: Apache-2.0
#include "support/lossy_run.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"
#include "methods/method_options.hpp"
#include "plan/federation.hpp"
#include "plan/plan.hpp"
#include "report/result_files.hpp"
#include "support/scripted_engine.hpp"

namespace fedrk::test {
namespace {

// No field of a history has a quote in it.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

template <class Value>
Value or_throw(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<Value>) return *std::move(result);
}

}  // namespace

std::vector<NamedAbsence> absences_in(const std::string& history) {
  std::vector<NamedAbsence> absences;
  std::istringstream lines(history);
  std::string line;
  std::getline(lines, line);
  if (!line.ends_with(",reasons")) return absences;
  while (std::getline(lines, line)) {
    const auto fields = fields_of(line);
    std::istringstream names(fields.at(2)), reasons(fields.back());
    for (std::string name, reason; std::getline(names, name, ';');) {
      std::getline(reasons, reason, ';');
      absences.push_back({static_cast<std::uint32_t>(std::stoul(fields[0])), name, reason});
    }
  }
  return absences;
}

std::string solution_without(const StartupKit& kit, const std::vector<NamedAbsence>& absences) {
  io::FinishedRun run;
  or_throw(io::read_plan((kit.one_process() / "plan.toml").string(), run.plan));
  io::Federation federation = or_throw(io::make_federation(run.plan));
  InProcessEngine inner(std::move(federation.clients), 1);
  LossyEngine engine(inner, [&](RoundIndex round, ClientId client) {
    const std::string& name = inner.roster()[client.value].name;
    return std::ranges::any_of(absences, [&](const NamedAbsence& absence) {
      return absence.round == round.value + 1 && absence.client == name;
    });
  });
  const RunOptions options = io::resolve(run.plan, engine.roster()).run;
  const auto method = make_method(run.plan.method, options, engine, federation.problem.fit);
  run.result = FederatedRun(options).run(engine, *method, federation.problem.start);
  run.unknowns = federation.problem.unknowns;
  run.standardized = federation.problem.scaling.has_value();
  run.coefficients = federation.problem.coefficients(run.result.x);
  const FitSummary* const summary = method->fit();
  if (summary != nullptr && !summary->coefficients.empty()) run.coefficients = summary->coefficients;
  return io::solution_csv(run);
}

}  // namespace fedrk::test
