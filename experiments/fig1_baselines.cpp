// SPDX-License-Identifier: Apache-2.0

// Figure 1, second part: the same problem by FedAvg and FedProx, whose clients make gradient steps.
//
// A Kaczmarz step is a gradient step on one row with the step size 1/||a_j||^2. So the fair partner of tau Kaczmarz
// steps is tau gradient steps on one random row each: the same work in a round. Gradient steps on all of a client's
// rows are shown as well; each costs as much as m_i Kaczmarz steps.

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/contenders.hpp"
#include "experiments/experiment.hpp"
#include "experiments/fig1_runs.hpp"
#include "experiments/judgements_fig1.hpp"
#include "experiments/support.hpp"

namespace fedrk::experiments {
namespace {

struct Size {
  Fig1Problem problem;
  std::uint64_t many;           // local steps, besides 1
  std::uint32_t pilots_on_one;  // rounds of the pilots that choose a step size, for steps on one row
  std::uint32_t pilots_on_all;
  std::size_t instances;  // on which one step of FedRK is compared with one of FedAvg
  double least_ratio;     // of FedAvg's error to FedRK's, there
};

Size size_for(const Settings& settings) {
  if (settings.quick) {
    return {{.rows = 384, .cols = 192, .clients = 8, .participants = 4, .rounds = 250}, 30, 60, 20, 10, 0.95};
  }
  return {{.rounds = 1000}, 50, 100, 30, 5, 1.0};
}

ReadyMethod tuned_method(const std::string& method, Fig1Runs& runs, std::uint32_t pilot_rounds, GradientSteps work) {
  ContenderOptions options{.run = runs.options()};
  options.pilot_rounds = pilot_rounds;
  return method == "FedProx" ? tuned_fedprox(runs.engine(), options, work) : tuned_fedavg(runs.engine(), options, work);
}

// With one step on one row: FedAvg's error at the end over FedRK's, on an instance of its own with its own step size.
double one_step_ratio(const Size& size, std::uint64_t seed) {
  const Progress unseen;
  const Stretch stretch(unseen, 0.0, 1.0, "");
  Fig1Runs runs(size.problem, {.seed = seed, .threads = 1});
  const auto fedavg = tuned_method("FedAvg", runs, size.pilots_on_one, {.count = 1, .batch = 1});
  return runs.other(*fedavg.method, stretch).back() / runs.fedrk(1, stretch).back();
}

class Baselines {
 public:
  Baselines(const Size& size, const Settings& settings, const Progress& progress)
      : size_(size), progress_(progress), runs_(size.problem, settings) {}

  ErrorCurve fedrk(std::uint64_t steps) {
    const std::string label = fmt::format("FedRK, tau = {}", steps);
    return {label, runs_.fedrk(steps, next(label))};
  }

  ErrorCurve tuned(const std::string& method, GradientSteps work) {
    const std::string label = fmt::format("{}, tau = {}{}", method, work.count, work.batch == 0 ? ", all rows" : "");
    const Stretch stretch = next(label);
    const ReadyMethod ready =
        tuned_method(method, runs_, work.batch == 0 ? size_.pilots_on_all : size_.pilots_on_one, work);
    notes_.push_back(fmt::format("{}: {}.", label, ready.note));
    return {label, runs_.other(*ready.method, stretch)};
  }

  // The ratio on this instance is known; the others follow.
  std::vector<double> one_step_ratios(double here, const Settings& settings) {
    std::vector<double> ratios(size_.instances, here);
    for_each_trial(ratios.size() - 1, settings.threads, next("tau = 1 on other instances"),
                   [&](std::size_t k) { ratios[k + 1] = one_step_ratio(size_, trial_seed(settings.seed, k + 1)); });
    return ratios;
  }

  const Fig1Runs& runs() const { return runs_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  static constexpr double kRuns = 8.0;

  Stretch next(const std::string& label) {
    doing_ = label;
    const double begin = static_cast<double>(made_++);
    progress_(begin / kRuns, doing_);
    return {progress_, begin / kRuns, (begin + 1.0) / kRuns, doing_};
  }

  const Size& size_;
  const Progress& progress_;
  Fig1Runs runs_;
  std::vector<std::string> notes_;
  std::string doing_;
  int made_ = 0;
};

std::string rounds_text(const ErrorCurve& curve, double level) {
  const auto rounds = rounds_to(level, curve.errors);
  return rounds ? fmt::format("{} rounds", *rounds)
                : fmt::format("more than {} rounds (error {:.1e})", curve.errors.size(), curve.errors.back());
}

}  // namespace

Findings fig1_baselines(const Settings& settings, const Progress& progress) {
  const Size size = size_for(settings);
  Baselines made(size, settings, progress);
  const ErrorCurve one = made.fedrk(1), many = made.fedrk(size.many);
  const ErrorCurve fedavg_one = made.tuned("FedAvg", {.count = 1, .batch = 1});
  const ErrorCurve fedavg_many = made.tuned("FedAvg", {.count = size.many, .batch = 1});
  const ErrorCurve fedprox_many = made.tuned("FedProx", {.count = size.many, .batch = 1});
  const ErrorCurve on_all_one = made.tuned("FedAvg", {.count = 1});
  const ErrorCurve on_all_many = made.tuned("FedAvg", {.count = size.many});
  const auto ratios = made.one_step_ratios(fedavg_one.errors.back() / one.errors.back(), settings);
  const std::vector<ErrorCurve> curves{many, one, fedavg_many, fedprox_many, fedavg_one, on_all_many, on_all_one};

  Findings findings;
  findings.name = "fig1-baselines";
  findings.title = "FedRK beside FedAvg and FedProx";
  findings.set_up = made.runs().text() + "; tau local steps: Kaczmarz steps, or gradient steps with a tuned step size";
  // With one step on one row the two differ only in what the server makes of a few rows. Over 15 instances FedAvg ended
  // at 1.071 times FedRK's error, each within 0.03 of that. At the small size it was 1.047 over 150 instances, but each
  // scatters by 0.05 and some lie below one: there the mean of ten is asked to be level, not ahead. With more steps the
  // gap was a factor of 60000, at the small size 250.
  findings.judgements = {keeps_up(one.label, fedavg_one.label, ratios, size.least_ratio),
                         ends_below(many, std::vector{fedavg_many, fedprox_many}, 10.0)};
  findings.figures = {made.runs().figure("fig1-baselines", curves,
                                         "The relative error against rounds for FedRK and for gradient steps that are "
                                         "averaged. Steps without further words "
                                         "use one random row, as a Kaczmarz step does; \"all rows\" marks steps on the "
                                         "gradient of all of a client's rows, "
                                         "which cost as much as the client has rows.")};
  findings.tables = {made.runs().table("fig1-baselines", curves)};
  const std::size_t rows = size.problem.rows / size.problem.clients;
  findings.notes = {
      fmt::format(
          "To 1e-6: {} needs {}, {} {}, {} {}. One gradient step on all rows costs {} Kaczmarz steps, and with a "
          "step size found by pilot runs it is a strong method: where clients can afford it, compare before "
          "choosing (fedrk compare).",
          many.label, rounds_text(many, 1e-6), on_all_one.label, rounds_text(on_all_one, 1e-6), on_all_many.label,
          rounds_text(on_all_many, 1e-6), rows),
      "One step on one row is a Kaczmarz step up to its length, and few rows in many dimensions are nearly orthogonal: "
      "averaging them with a step that is longer by the number of clients is then nearly the same as projecting onto "
      "one "
      "after the other. So with tau = 1 the methods are close, and a FedAvg with a step size that is not tuned is not.",
      "FedProx with one local step is FedAvg: its pull back to x is zero at x."};
  for (const std::string& note : made.notes()) findings.notes.push_back(note);
  return findings;
}

}  // namespace fedrk::experiments
