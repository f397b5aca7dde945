// SPDX-License-Identifier: Apache-2.0
#include "api/inspect_text.hpp"

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "fedrk/error.hpp"
#include "plan/plan_options.hpp"
#include "report/privacy_forecast_text.hpp"
#include "report/text.hpp"
#include "round/groups.hpp"

namespace fedrk::api {
namespace {

std::size_t participants(const io::Plan& plan, std::size_t clients) {
  return plan.run.participants == 0 ? clients : std::min(plan.run.participants, clients);
}

bool by_sums(const io::Plan& plan) { return reveal_of(goal_of(plan.method, plan.run)) == Reveal::Sums; }

std::string asked_in(const io::Plan& plan, std::size_t clients) {
  const std::size_t groups = kept_groups(plan, clients);
  return groups == 1 ? "all clients" : fmt::format("each of the {} groups that are kept for the run", groups);
}

// A sum over one or two clients hides nobody.
std::string small_group_text(const io::Plan& plan, std::size_t clients) {
  const std::size_t lowest = clients / kept_groups(plan, clients);
  if (lowest == 1) return " With one client in a group the sum is that client's own: let three or more take part.";
  if (lowest == 2)
    return " With two clients in a group each knows the other's part from the sum: let three or more take part.";
  return "";
}

constexpr std::string_view kMasked = " Over a network the parts are masked, so that the sum is all that arrives.";

std::string fit_to_server(const io::Plan& plan, std::size_t clients, std::size_t unknowns) {
  const std::string who = asked_in(plan, clients);
  std::string text =
      plan.job == io::Job::Fit
          ? "The server sees the clients' row counts, and of every column the sum and the sum of squares "
            "over all clients. "
          : "The server sees the clients' row counts. ";
  if (is_gram_fit(plan, unknowns)) {
    text += fmt::format(
        "Then it sees one sum of cross-products over {}: A^T A, A^T b and b^T b. They tell all means, variances and "
        "correlations of the columns, and no single row where a group has many more rows than there are columns; "
        "where it has fewer, they tell the space that its rows span.",
        who);
  } else {
    text += fmt::format(
        "Then it sees in each round one sum over {}: of gradients and squared residuals at x, or of products "
        "A_i^T (A_i p) with a direction p. As many products as there are columns tell A^T A: all means, variances and "
        "correlations of the columns, and where a group has fewer rows than columns, the space that its rows span.",
        who);
  }
  return text + std::string(kMasked) + small_group_text(plan, clients);
}

std::string sums_to_server(const io::Plan& plan, std::size_t clients) {
  if (participants(plan, clients) == 1) {
    return "The server is to see sums only, but with one client a round the sum is that client's own update: let more "
           "take part.";
  }
  return fmt::format(
             "Of each round the server sees one sum over all participants: of their displacements, their gaps and "
             "their "
             "squared residuals, and the clients' row counts and the sum of their norms once. It is a combination of "
             "all participants' rows, of which none can be told apart. A sum is over {}.",
             asked_in(plan, clients)) +
         std::string(kMasked) + small_group_text(plan, clients);
}

std::string fit_to_clients(const io::Plan& plan, std::size_t clients, std::size_t unknowns) {
  std::string text = plan.job == io::Job::Fit
                         ? "A client is sent the means and scales of the columns over all clients, and "
                         : "A client is sent ";
  text += is_gram_fit(plan, unknowns) ? "nothing of any other client by itself."
                                      : "x and the directions of the search, which are made of sums over all clients.";
  if (clients == 2 && plan.job == io::Job::Fit) {
    text +=
        " Of two clients each can take its own part away and is left with the other's: let three or more take part.";
  }
  return text;
}

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

bool is_gram_fit(const io::Plan& plan, std::size_t unknowns) {
  const Goal goal = goal_of(plan.method, plan.run);
  return is<LeastSquares>(goal) && is_by_gram(std::get<LeastSquares>(goal), unknowns, plan.link());
}

std::size_t kept_groups(const io::Plan& plan, std::size_t clients) {
  return group_count(clients, plan.run.participants, 1);
}

std::string revealed_to_server(const io::Plan& plan, std::size_t clients, std::size_t unknowns) {
  if (plan.method.privacy.on()) {
    return "Of each round the server sees one sum over all participants, with noise, and the clients' row counts once. "
           "Whatever it makes of them, any single row could have been another without anybody noticing, as far as "
           "--epsilon and --delta say.";
  }
  if (plan.method.fits()) return fit_to_server(plan, clients, unknowns);
  if (by_sums(plan)) return sums_to_server(plan, clients);
  const StepBudget budget = io::resolve(plan).run.local_budget;
  const auto* steps = std::get_if<FixedSteps>(&budget);
  const std::string remedy = " --reveal sums shows it one sum a round.";
  if (steps == nullptr) {
    return "With --local-steps inf the server learns each client's projections: their span is the span of the client's "
           "rows, and a client with a row for every unknown or more sends its own solution." +
           remedy;
  }
  if (steps->count == 1) {
    return "With --local-steps 1 each update is a multiple of one row: the server sees single records." + remedy;
  }
  return "After its last step x + Delta lies on the hyperplane of the row used last, so a server that keeps the "
         "updates of many rounds can rebuild records, all of them where it knows the clients' seeds, and it can tell "
         "whether a client holds a record that it knows already. --attack tries it. Use it between parties that may "
         "see each other's rows." +
         remedy;
}

std::string revealed_to_clients(const io::Plan& plan, std::size_t clients, std::size_t unknowns) {
  if (clients == 1) return "There is no other client.";
  if (plan.method.fits()) return fit_to_clients(plan, clients, unknowns);
  std::string text =
      "A client is sent x in each round that it takes part in, hence the model as it forms and how x moved in between, "
      "and nothing of any other client by itself. ";
  text += by_sums(plan) ? "x moves by sums over the participants of the last rounds."
                        : "x moves by a combination of the participants' updates.";
  if (participants(plan, clients) > 2) {
    return text +
           " Clients that put together what they know can take their own parts away: what is left is a "
           "combination of the others' rows.";
  }
  if (participants(plan, clients) == 2) {
    return text +
           " With two clients a round each can take its own part away and is left with the other's, as far as "
           "the movement of x gives the sum: let three or more take part.";
  }
  return text +
         " With one client a round that is this client's own update, and whoever is asked before and after it "
         "can read it: let three or more take part.";
}

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
  if (is<Private>(decided.goal)) return "Answers with noise (differential privacy). " + forecast;
  if (is<FedRk>(decided.goal)) {
    return std::string("FedRK, with every client's update.") +
           (decided.refit ? " At the end least squares on the entries selected most often." : "");
  }
  if (is<LeastSquares>(decided.goal)) return fit_text(plan, size.clients, size.unknowns);
  if (is<SparseEquations>(decided.goal)) return "Sparse Kaczmarz steps by soft thresholding.";
  return equations_text(plan, size, spectrum);
}

}  // namespace fedrk::api
