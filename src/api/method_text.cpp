// SPDX-License-Identifier: Apache-2.0
#include "api/method_text.hpp"

#include <vector>

#include <fmt/format.h>

#include "api/revealed.hpp"
#include "fedrk/error.hpp"
#include "plan/plan_options.hpp"
#include "report/privacy_forecast_text.hpp"
#include "report/text.hpp"

namespace fedrk::api {
namespace {

constexpr double kSlow = 300.0;  // a condition number from which on a short memory takes many rounds

std::string fit_text(const io::Plan& plan, std::size_t clients, std::size_t unknowns) {
  const std::size_t rounds = kept_groups(plan, clients);
  const std::string what =
      plan.method.ridge > 0.0 ? fmt::format("Ridge regression, lambda = {:g}", plan.method.ridge) : "Least squares";
  if (is_gram_fit(plan, unknowns)) {
    return fmt::format(
        "{} by one Gram sum: every client is asked once for the cross-products of its columns, {} numbers{}; the "
        "server "
        "adds them up and solves. Where there is too much work for twice the usual precision, refinements follow.",
        what, (unknowns + 1) * (unknowns + 2) / 2, rounds == 1 ? "" : fmt::format(", in {} rounds", rounds));
  }
  return fmt::format(
      "{} by conjugate gradients: every iteration asks each client for one product, {} numbers, in {} round{}; there "
      "are at most about as many iterations as columns, and far fewer where these are not much alike.",
      what, unknowns, rounds, rounds == 1 ? "" : "s");
}

// Hyperplanes hold every solution; where there is none they show it.
std::string equations_text(const io::Plan& plan, const ProblemSize& size,
                           const std::optional<SpectrumSurvey>& spectrum) {
  const MethodOptions& method = plan.method;
  const std::string first = fmt::format("hyperplanes with a memory of {} rounds",
                                        io::memory_text(std::get<Equations>(goal_of(method, plan.run)).memory));
  const std::string advice = "use fedrk fit for data, or --least-squares.";
  if (!spectrum) {
    return fmt::format("By {}; should the equations contradict each other, the run ends and says so: then {}", first,
                       advice);
  }
  if (!is_consistent(*spectrum)) {
    return "The equations contradict each other, so there is nothing to solve: a run would end once the " + first +
           " have shown it. Instead, " + advice;
  }
  std::string text = "The equations have a solution: " + first + " lead to " +
                     (size.rows < size.unknowns ? "the one nearest to the start." : "it.");
  if (spectrum->condition_number > kSlow && method.memory != HyperplaneMemory::kAll) {
    text += fmt::format(" With a condition number of {} that takes many rounds; ", brief(spectrum->condition_number));
    text += method.memory ? std::string("without --memory all rounds are kept where it is too slow.")
                          : fmt::format(
                                "where it is too slow all rounds are kept, which ends after about {}, whatever "
                                "the condition number.",
                                size.unknowns);
  }
  return text;
}

}  // namespace

// A hopeless plan is worth a look too: why it is hopeless.
std::string forecast_text(const io::Plan& plan, const io::Federation& federation) {
  std::vector<ClientSummary> roster;
  for (const Client& client : federation.clients) roster.push_back(client.summary());
  try {
    const std::string message = privacy_forecast_text(plan, roster, federation.problem.unknowns.size());
    return message.empty() ? "" : "The forecast: " + message + ".";
  } catch (const InvalidArgument& error) {
    return "It would be refused: " + std::string(error.what()) + ".";
  }
}

std::string method_text(const io::Plan& plan, const ProblemSize& size, const std::optional<SpectrumSurvey>& spectrum,
                        const std::string& forecast) {
  const io::ResolvedPlan decided = io::resolve(plan);
  if (is<Private>(decided.goal)) return "The mean of clipped passes, with noise. " + forecast;
  if (is<FedRk>(decided.goal)) {
    return std::string("FedRK, with every client's update.") +
           (decided.refit ? " At the end least squares on the entries selected most often." : "");
  }
  if (is<LeastSquares>(decided.goal)) return fit_text(plan, size.clients, size.unknowns);
  if (is<SparseEquations>(decided.goal)) return "Sparse Kaczmarz steps by soft thresholding.";
  return equations_text(plan, size, spectrum);
}

}  // namespace fedrk::api
