// SPDX-License-Identifier: Apache-2.0

// fedrk inspect: what a data set or federation looks like before a run.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/survey.hpp"
#include "api/inspect_text.hpp"
#include "commands.hpp"
#include "inspect_attack.hpp"
#include "output.hpp"
#include "plan/federation.hpp"
#include "plan/plan_options.hpp"
#include "plan_flags.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;

struct InspectArguments {
  PlanFlags plan;
  OutputFormat format = OutputFormat::Text;
  bool exact = false;
  bool attack = false;
};

struct Findings {
  std::vector<ClientSurvey> clients;
  std::optional<SpectrumSurvey> spectrum;
  double total_weight = 0.0;
  std::size_t nonzeros = 0;
  std::string forecast;  // of the error under differential privacy, where that is asked for
};

Findings look_at(const io::Plan& plan, const io::Federation& federation, bool exact) {
  constexpr double kQuick = 2e10;  // operations: some ten seconds
  Findings found;
  for (const Client& client : federation.clients) {
    found.clients.push_back(survey(client));
    found.total_weight += found.clients.back().weight;
    found.nonzeros += found.clients.back().nonzeros;
  }
  found.forecast = api::forecast_text(plan, federation);
  if (exact || spectrum_cost(federation.clients) <= kQuick) found.spectrum = survey_spectrum(federation.clients);
  return found;
}

std::string method_text(const io::Plan& plan, const io::Federation& federation, const Findings& found) {
  return api::method_text(plan, {federation.problem.rows, federation.problem.unknowns.size(), found.clients.size()},
                          found.spectrum, found.forecast);
}

Json to_json(const io::Plan& plan, const io::Federation& federation, const Findings& found) {
  Json document{{"rows", federation.problem.rows},
                {"columns", federation.problem.unknowns.size()},
                {"sparse", federation.problem.sparse},
                {"nonzeros", found.nonzeros},
                {"clients", Json::array()},
                {"spectrum", nullptr}};
  for (std::size_t i = 0; i < found.clients.size(); ++i) {
    const ClientSurvey& client = found.clients[i];
    document["clients"].push_back({{"name", federation.clients[i].summary().name},
                                   {"rows", client.rows},
                                   {"zero_rows", client.zero_rows},
                                   {"smallest_row_norm", client.smallest_norm},
                                   {"largest_row_norm", client.largest_norm},
                                   {"weight", client.weight / found.total_weight}});
  }
  if (found.spectrum) {
    document["spectrum"] = {{"rank", found.spectrum->rank},
                            {"condition_number", found.spectrum->condition_number},
                            {"rate_by_norm", found.spectrum->rate_by_norm},
                            {"rate_uniform", found.spectrum->rate_uniform},
                            {"least_squares_residual", found.spectrum->least_squares_residual},
                            {"consistent", is_consistent(*found.spectrum)}};
  }
  document["method"] = method_text(plan, federation, found);
  if (!found.forecast.empty()) document["privacy_forecast"] = found.forecast;
  document["revealed"] = api::revealed_to_server(plan, found.clients.size(), federation.problem.unknowns.size());
  document["revealed_to_clients"] =
      api::revealed_to_clients(plan, found.clients.size(), federation.problem.unknowns.size());
  document["warnings"] = federation.problem.warnings;
  return document;
}

std::string spectrum_text(const io::Plan& plan, const Findings& found, std::size_t unknowns) {
  if (!found.spectrum) return "\nrank and rates: not computed for a matrix of this size; --exact computes them\n";
  const SpectrumSurvey& s = *found.spectrum;
  const auto per_digit = [](double alpha) {  // steps that gain a decimal digit of ||x - x*||, by the bound
    return alpha <= 0.0 ? 1.0 : std::ceil(-2.0 / std::log10(alpha));
  };
  std::string text = fmt::format("\nrank {} of {}, condition number {}\n", s.rank, unknowns, brief(s.condition_number));
  if (plan.method.fits()) {  // whoever fits expects no solution, and makes no Kaczmarz steps
    return text + fmt::format("least-squares residual {} of the right-hand side\n", brief(s.least_squares_residual));
  }
  text += fmt::format(
      "{} (least-squares residual {} of the right-hand side)\n",
      is_consistent(s) ? "consistent: there is an exact solution" : "inconsistent: the equations contradict each other",
      brief(s.least_squares_residual));
  text += fmt::format("rate of pooled Kaczmarz steps: alpha = 1 - {} drawn by squared norm, 1 - {} drawn uniformly\n",
                      brief(1.0 - s.rate_by_norm), brief(1.0 - s.rate_uniform));
  return text + fmt::format("  (at most {} and {} steps for each further digit)\n", brief(per_digit(s.rate_by_norm)),
                            brief(per_digit(s.rate_uniform)));
}

std::string to_text(const io::Plan& plan, const io::Federation& federation, const Findings& found) {
  constexpr std::size_t kMax = 30;
  std::string text =
      fmt::format("{} rows, {} unknowns, {} client{}; {}\n\n", federation.problem.rows,
                  federation.problem.unknowns.size(), found.clients.size(), found.clients.size() == 1 ? "" : "s",
                  federation.problem.sparse ? fmt::format("sparse, {} entries stored", found.nonzeros) : "dense");
  std::vector<std::vector<std::string>> rows{{"client", "rows", "zero rows", "row norms from", "to", "weight"}};
  for (std::size_t i = 0; i < std::min(kMax, found.clients.size()); ++i) {
    const ClientSurvey& client = found.clients[i];
    rows.push_back({federation.clients[i].summary().name, std::to_string(client.rows), std::to_string(client.zero_rows),
                    brief(client.smallest_norm), brief(client.largest_norm),
                    fmt::format("{:.1f} %", 100.0 * client.weight / found.total_weight)});
  }
  text += table(rows);
  if (found.clients.size() > kMax) text += fmt::format("  ... and {} more\n", found.clients.size() - kMax);
  text += spectrum_text(plan, found, federation.problem.unknowns.size());
  text += std::string("\nhow it would be ") + (plan.method.fits() ? "fitted" : "solved") + ":\n" +
          wrapped(method_text(plan, federation, found), 96, 2);
  text += "\nwhat the server would learn:\n" +
          wrapped(api::revealed_to_server(plan, found.clients.size(), federation.problem.unknowns.size()), 96, 2);
  text += "\nwhat other clients would learn:\n" +
          wrapped(api::revealed_to_clients(plan, found.clients.size(), federation.problem.unknowns.size()), 96, 2);
  for (const std::string& warning : federation.problem.warnings) text += "\nNote:\n" + wrapped(warning, 96, 2);
  return text;
}

api::AttackFindings attack(const io::Plan& plan, io::Federation federation) {
  const bool terminal = resolved(ProgressStyle::Auto) == ProgressStyle::Bar;
  ProgressDisplay progress(terminal ? ProgressStyle::Bar : ProgressStyle::None, io::resolve(plan).run.rounds);
  const auto tell = [&](const std::string& message) {
    progress.finish();
    say(fmt::format("attack: {}\n", message));
  };
  auto findings = api::play_attack(plan, std::move(federation), {&progress, tell});
  progress.finish();
  return findings;
}

int inspect(const InspectArguments& arguments) {
  const auto plan = arguments.plan.plan();
  if (!plan) return complain(plan.error().message, kBadInput);
  auto federation = io::make_federation(*plan);
  if (!federation) return complain(federation.error().message, kBadInput);
  const Findings found = look_at(*plan, *federation, arguments.exact);
  if (arguments.format == OutputFormat::Json) {
    Json document = to_json(*plan, *federation, found);
    if (arguments.attack) document["attack"] = attack_json(attack(*plan, *std::move(federation)));
    return print_result(document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n') ? kDone : kRunFailed;
  }
  std::string text = to_text(*plan, *federation, found);
  if (arguments.attack) text += "\nthe attack:\n" + attack_text(attack(*plan, *std::move(federation)));
  return print_result(text) ? kDone : kRunFailed;
}

}  // namespace

Command inspect_command() {
  const auto arguments = std::make_shared<InspectArguments>();
  Command command{.name = "inspect",
                  .about = "describe a data set or a federation",
                  .arguments = {},
                  .flags = {},
                  .footer =
                      "Examples:\n"
                      "  fedrk inspect --data site-1.csv --target lpsa --clients 7 --standardize --intercept\n"
                      "  fedrk inspect --goal fit --data patients.csv --target lpsa --partition by:hospital\n"
                      "  fedrk inspect plan.toml --attack",
                  .run = [arguments] { return inspect(*arguments); }};
  arguments->plan.add_to(command);
  append(
      command.flags,
      {{.name = "exact",
        .value = "",
        .help = "compute rank and rates of large matrices too; may take long",
        .set = on(arguments->exact),
        .group = "Output"},
       {.name = "attack",
        .value = "",
        .help = "run the plan and count the records that a curious server could rebuild from what it saw; of sums also "
                "with the rules that owners have by default",
        .set = on(arguments->attack),
        .group = "Output"},
       format_flag(arguments->format)});
  return command;
}

}  // namespace fedrk::app
