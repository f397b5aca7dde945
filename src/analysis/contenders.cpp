// SPDX-License-Identifier: Apache-2.0
#include "analysis/contenders.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/hyperplane_contenders.hpp"
#include "analysis/lasso.hpp"
#include "analysis/step_search.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/fedrk_method.hpp"
#include "methods/gram_method.hpp"
#include "methods/others/first_order.hpp"
#include "methods/others/pooled.hpp"

namespace fedrk {
namespace {

constexpr const char* kUpdates = kSeesUpdates;
constexpr const char* kEveryRow = "every row";

std::string short_text(double value) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

RunOptions pilot_of(const ContenderOptions& options, bool everyone) {
  RunOptions pilot = options.run;
  pilot.rounds = std::min(pilot.rounds, options.pilot_rounds);
  if (everyone) pilot.participants = 0;
  pilot.tolerance = 0.0;
  pilot.patience = 0;
  pilot.residual_every = RunOptions::kNever;
  return pilot;
}

std::string step_note(const StepChoice& choice) {
  return "step " + short_text(choice.step) + ", found in " + std::to_string(choice.pilot_rounds) + " pilot rounds";
}

// With the best step that pilot runs find, from `first` on.
template <class WithStep>
ReadyMethod tuned(Engine& engine, const ContenderOptions& options, bool everyone, double first,
                  const WithStep& with_step) {
  const StepChoice choice = search_step(engine, pilot_of(options, everyone), first, with_step, options.stop);
  return {with_step(choice.step), step_note(choice)};
}

// 1 / max_i ||A_i||^2 / m_i: the step that suits the steepest mean loss.
double mean_loss_step(Engine& engine) {
  const std::vector<double> each = curvatures(engine);
  double largest = 0.0;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const auto rows = static_cast<double>(engine.roster()[i].rows);
    if (rows > 0.0) largest = std::max(largest, each[i] / rows);
  }
  return largest > 0.0 ? 1.0 / largest : 1.0;
}

ReadyMethod make_scaffold(Engine& engine, const ContenderOptions& options, GradientSteps work) {
  const auto with_step = [&engine, &work](double step) {
    work.step = step;
    return std::make_unique<Scaffold>(engine.roster().size(), engine.dimension(), work);
  };
  const double largest = std::ranges::max(curvatures(engine));
  const double first = largest > 0.0 ? 1.0 / largest : 1.0;
  return tuned(engine, options, false, first, with_step);
}

ReadyMethod make_thresholding(Engine& engine, const ContenderOptions& options) {
  const auto with_step = [&engine, &options](double step) {
    return std::make_unique<GradientDescent>(engine.roster().size(), step, options.run.sparsity);
  };
  const std::vector<double> each = curvatures(engine);
  const double bound = std::accumulate(each.begin(), each.end(), 0.0);  // of ||A||^2
  const double first = bound > 0.0 ? 1.0 / bound : 1.0;
  return tuned(engine, options, true, first, with_step);
}

// The largest lambda of a path at which at least `wanted` entries are not zero.
void lasso_with(std::size_t wanted, std::size_t fixed, const LinearSystem& system, std::span<double> x) {
  const LassoPath path = lasso_path(Lasso(system, {.fixed = fixed, .tolerance = 1e-9}), x.size());
  for (const std::vector<double>& solution : path.solutions) {
    const auto there = static_cast<std::size_t>(std::ranges::count_if(solution, [](double v) { return v != 0.0; }));
    std::ranges::copy(solution, x.begin());
    if (there >= wanted) return;
  }
}

std::string text_for(const GradientSteps& steps) {
  std::string message = std::to_string(steps.count) + " gradient step" + (steps.count == 1 ? "" : "s");
  if (steps.batch > 0) message += " on " + std::to_string(steps.batch) + (steps.batch == 1 ? " row" : " rows");
  return message;
}

void add_stepping(const Engine& engine, const ContenderOptions& options, std::vector<Contender>& list) {
  const std::string tau = steps_text(options.run.local_budget);
  const GradientSteps equal = equal_gradient_steps(engine, options.run.local_budget);
  const std::string of_gradients = text_for(equal);
  const auto by_fedrk = [options](RowSampling sampling) {
    return [options, sampling](Engine&) {
      RunOptions run = options.run;
      run.server_sampling = sampling;
      return ReadyMethod{std::make_unique<FedrkMethod>(run), ""};
    };
  };
  list.push_back({"fedrk", "FedRK, " + tau + " local steps", kUpdates,
                  "FedRK; a displacement is a combination of the client's rows, and a patient server can "
                  "recover rows from many of them",
                  false, by_fedrk(RowSampling::Uniform)});
  list.push_back({"fedrk-norm", "FedRK, server draws by norm", kUpdates,
                  "as the authors' own program draws the server's hyperplanes", false,
                  by_fedrk(RowSampling::SquaredNorm)});
  list.push_back({"fedavg-rk", "FedAvg of " + tau + " local RK steps", kUpdates,
                  "the local half of FedRK, averaged; the server needs only the sum of the updates", false,
                  [options](Engine& at) {
                    return ReadyMethod{std::make_unique<Averaging>(at.roster(), work_of(options.run.local_budget)), ""};
                  }});
  list.push_back({"fedavg", "FedAvg, " + of_gradients, kUpdates,
                  "averaged gradient steps; the server needs only the sum of the updates", false,
                  [options, equal](Engine& at) { return tuned_fedavg(at, options, equal); }});
  list.push_back(
      {"fedsgd", "FedSGD, 1 full gradient step", kUpdates,
       "gradient descent on whoever takes part, which reads all of a client's rows once in a round; the server "
       "needs only the sum of the updates",
       false, [options](Engine& at) { return tuned_fedavg(at, options, {.count = 1}); }});
  list.push_back({"fedprox", "FedProx, " + of_gradients, kUpdates,
                  equal.count == 1 ? "FedAvg with a pull back to x, which a single step does not feel"
                                   : "FedAvg with a pull back to x; the server needs only the sum of the updates",
                  false, [options, equal](Engine& at) { return tuned_fedprox(at, options, equal); }});
  list.push_back({"scaffold", "SCAFFOLD, " + of_gradients, kUpdates,
                  "FedAvg with control variates against drift; two vectors down for one up", false,
                  [options, equal](Engine& at) { return make_scaffold(at, options, equal); }});
}

void add_sums(std::vector<Contender>& list) {
  // To the target, whatever tolerance a plan asks for; in doubles, as is usual.
  const FitOptions fit{.tolerance = 0.0, .pairs = false};
  list.push_back({"cg", "conjugate gradients", "one sum of A_i'A_i p",
                  "on the normal equations; every product is a sweep over all clients", false, [fit](Engine& at) {
                    return ReadyMethod{std::make_unique<ConjugateGradients>(fit, at.roster()), ""};
                  }});
  list.push_back(
      {"gram", "Gram sum", "one sum of A_i'A_i",
       "one sweep, then refinement; the server sees only the sum, which tells all correlations of the columns", false,
       [fit](Engine& at) {
         return ReadyMethod{std::make_unique<GramMethod>(fit, at.roster()), ""};
       }});
}

void add_pooled(std::size_t clients, const ContenderOptions& options, std::vector<Contender>& list) {
  const auto pooled = [clients](PooledSolver solver) {
    return [clients, solver](Engine&) { return ReadyMethod{std::make_unique<Pooled>(clients, solver), ""}; };
  };
  const PooledSteps steps{.seed = options.run.seed, .tolerance = options.pooled_accuracy, .stop = options.stop};
  list.push_back({"rk", "pooled Kaczmarz", kEveryRow, "randomized Kaczmarz on all rows in one place", true,
                  pooled([steps](const auto& system, auto x) { pooled_kaczmarz(steps, system, x); })});
  list.push_back({"rek", "pooled extended Kaczmarz", kEveryRow,
                  "extended Kaczmarz on all rows in one place, which finds the least-squares solution", true,
                  pooled([steps](const auto& system, auto x) { extended_kaczmarz(steps, system, x); })});
  list.push_back({"qr", "pooled QR", kEveryRow, "a direct solver: the truth where no other is known", true,
                  pooled(direct_solution)});
}

void add_sparse(std::size_t clients, const ContenderOptions& options, std::vector<Contender>& list) {
  list.push_back({"iht", "iterative hard thresholding", "each gradient",
                  "gradient descent that keeps the largest entries; the server needs only the sum of the gradients",
                  true, [options](Engine& engine) { return make_thresholding(engine, options); }});
  const std::size_t wanted = options.run.sparsity, fixed = options.fixed;  // an intercept counts in both
  list.push_back({"lasso", "pooled Lasso", kEveryRow, "coordinate descent, at the first lambda with enough entries",
                  true, [clients, wanted, fixed](Engine&) {
                    const auto solve = [=](const LinearSystem& system, std::span<double> x) {
                      lasso_with(std::min(wanted, x.size()), fixed, system, x);
                    };
                    return ReadyMethod{std::make_unique<Pooled>(clients, solve), ""};
                  }});
}

// The Gram sum holds every client's triangle, their sum, and the matrix with its factorisation; what is pooled is held
// as messages, as a matrix, and once more by the solvers that transpose or factorise it.
void set_memory(const Engine& engine, const ContenderOptions& options, std::vector<Contender>& list) {
  const double rows = totals_of(engine.roster()).rows;
  const auto n = static_cast<double>(engine.dimension()), clients = static_cast<double>(engine.roster().size());
  const double stored = options.stored_numbers > 0.0 ? 2.0 * options.stored_numbers : rows * n;  // columns and values
  for (Contender& contender : list) {
    double numbers = contender.memory / sizeof(double);
    if (contender.name == "scaffold") numbers = 2.0 * clients * n;
    if (contender.name == "gram") numbers = (clients + 1.0) * n * (n + 3.0) / 2.0 + 3.0 * n * n;
    if (contender.server_sees == kEveryRow) numbers = 3.0 * stored;
    if (contender.name == "lasso") numbers += rows * n;  // it works on dense columns
    contender.memory = numbers * sizeof(double);
  }
}

}  // namespace

ReadyMethod tuned_fedavg(Engine& engine, const ContenderOptions& options, GradientSteps work) {
  const auto with_step = [&engine, &work](double step) {
    work.step = step;
    return std::make_unique<Averaging>(engine.roster(), work);
  };
  return tuned(engine, options, false, mean_loss_step(engine), with_step);
}

ReadyMethod tuned_fedprox(Engine& engine, const ContenderOptions& options, GradientSteps work) {
  const double first = mean_loss_step(engine);
  const auto with = [&engine, &work, first](double weight, double step) {
    work.proximal = weight / first;
    work.step = step;
    return std::make_unique<Averaging>(engine.roster(), work);
  };
  StepChoice best{first, std::numeric_limits<double>::infinity()};
  double best_weight = 0.0;
  std::uint64_t rounds = 0;
  for (const double weight : {0.001, 0.01, 0.1, 1.0}) {  // in units of the largest curvature of a client's mean loss
    const StepChoice choice = search_step(
        engine, pilot_of(options, false), best.step, [&](double step) { return with(weight, step); }, options.stop);
    rounds += choice.pilot_rounds;
    if (best_weight == 0.0 || choice.residual < best.residual) {
      best = choice;
      best_weight = weight;
    }
  }
  best.pilot_rounds = rounds;
  return {with(best_weight, best.step), "proximal weight " + short_text(best_weight / first) + ", " + step_note(best)};
}

GradientSteps equal_gradient_steps(const Engine& engine, const StepBudget& budget) {
  const auto* steps = std::get_if<FixedSteps>(&budget);
  if (steps == nullptr) return {.count = 50};
  const double rows = totals_of(engine.roster()).rows;
  const double mean = std::max(1.0, rows / static_cast<double>(engine.roster().size()));
  const double passes = std::round(static_cast<double>(steps->count) / mean);
  if (passes < 1.0) return {.count = 1, .batch = steps->count};
  return {.count = static_cast<std::uint64_t>(passes)};
}

std::vector<Contender> contenders(const Engine& engine, const ContenderOptions& options) {
  const std::size_t clients = engine.roster().size();
  std::vector<Contender> list;
  add_stepping(engine, options, list);
  add_hyperplane_contenders(engine, options, list);
  add_sums(list);
  if (options.run.sparsity > 0) {
    add_soft_contender(options, list);
    add_sparse(clients, options, list);
  }
  add_pooled(clients, options, list);
  set_memory(engine, options, list);
  return list;
}

}  // namespace fedrk
