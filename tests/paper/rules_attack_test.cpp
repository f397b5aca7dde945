// SPDX-License-Identifier: Apache-2.0

// The attacks of sums_attack_test, moment_attack_test and chosen_attack_test against clients that keep the rules of
// their owners, as they are set where nobody sets them. There each finds what it seeks; here it must find nothing: no
// record, and no client's second moments to better than a tenth.

#include <gtest/gtest.h>

#include "analysis/moment_attack.hpp"
#include "analysis/span_attack.hpp"
#include "attacks/attack_score.hpp"
#include "attacks/chosen_attack.hpp"
#include "problem/cross_products.hpp"
#include "support/masked_sums.hpp"
#include "support/prostate_table.hpp"
#include "support/ruled_sums.hpp"

namespace fedrk {
namespace {

using test::FixtureRun;
using test::RuledSums;
using test::SiteMemory;

constexpr StepOptions kShuffled{.sampling = RowSampling::Shuffled};
const test::PlanEntries kEquations{{"goal", "solve"}}, kFit{{"goal", "fit"}, {"intercept", "false"}};

// With columns of mean 0 and variance 1, as a fit prepares them. In their own units the mean over all sites is within a
// tenth of the moments of each.
LinearSystem standardized_prostate() {
  LinearSystem table = test::prostate_table();
  auto& matrix = std::get<Matrix>(table.rows);
  const auto rows = static_cast<double>(matrix.rows());
  for (std::size_t j = 1; j < matrix.cols(); ++j) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < matrix.rows(); ++i) sum += matrix.row(i)[j];
    for (std::size_t i = 0; i < matrix.rows(); ++i) squares += std::pow(matrix.row(i)[j] -= sum / rows, 2);
    for (std::size_t i = 0; i < matrix.rows(); ++i) matrix.row(i)[j] /= std::sqrt(squares / rows);
  }
  return table;
}

std::vector<Client> prostate_sites(std::size_t sites) {
  return test::clients_of(standardized_prostate(), sites, 1, kShuffled);
}

std::vector<Client> without(std::vector<Client> clients, std::size_t left_out) {
  clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(left_out));
  return clients;
}

std::vector<std::size_t> sites_without(std::size_t count, std::size_t left_out) {
  std::vector<std::size_t> sites;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != left_out) sites.push_back(i);
  }
  return sites;
}

void append(Transcript& all, const Transcript& more) { all.insert(all.end(), more.begin(), more.end()); }

// Each client's, or 1 for those of whom nothing is known.
double best_moments(const Transcript& transcript, std::size_t sites) {
  double best = 1.0;
  const auto clients = prostate_sites(sites);
  for (const Moments& claimed : recover_moments(transcript)) {
    const AlignedVector truth = cross_products(clients[claimed.clients.front().value].block().system(), nullptr);
    if (claimed.clients.size() == 1)
      best = std::min(best, relative_error(claimed.values, {truth.data(), truth.size()}));
  }
  return best;
}

// ---- Wide tables.

struct WideCase {
  std::size_t columns, participants;
  unsigned levels;
};

class WideTables : public testing::TestWithParam<WideCase> {};

TEST_P(WideTables, KeepTheirRecordsOverHonestRuns) {
  const auto [columns, participants, levels] = GetParam();
  const LinearSystem table = test::discrete_table(98, columns, levels, 3);
  const SiteMemory memory(7);
  Transcript seen;
  std::size_t given = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    RuledSums clients(test::clients_of(copy_of(table), 7, seed, kShuffled), memory,
                      {.run = "run-" + std::to_string(seed), .plan = kEquations, .participants = participants});
    RecordingEngine engine(clients);
    const RunResult result = test::solve_masked(engine, participants, seed, 200);
    EXPECT_EQ(result.termination, Termination::DisclosureLimit);
    EXPECT_NE(result.converged, true);
    given += clients.given();
    append(seen, engine.transcript());
  }

  EXPECT_GT(given, 0) << "not even what the rules allow";
  for (const ShownSpan& span : spans_of(seen)) EXPECT_LE(dimension_of(span), 98 / 5 + 2);
  EXPECT_TRUE(recover_discrete(seen, {.levels = levels}).empty());
}

INSTANTIATE_TEST_SUITE_P(Sums, WideTables,
                         testing::Values(WideCase{300, 3, 2}, WideCase{3000, 0, 2}, WideCase{3000, 0, 3}));

// ---- Changing groups, points and runs.

TEST(RuledAttack, GetsNoMomentsOfGroupsThatAreDrawnAfresh) {
  const SiteMemory memory(7);
  Transcript seen;
  for (std::uint64_t run = 0; run < 6; ++run) {
    RuledSums clients(prostate_sites(7), memory,
                      {.run = "run-" + std::to_string(run), .plan = kEquations, .participants = 3});
    RecordingEngine engine(clients);
    for (std::uint32_t t = 0; t < 40; ++t) {
      const auto x = test::gaussian_vector(engine.dimension(), 100 * run + t);
      const auto group = choose_participants(engine.roster(), 3, stream_for(run, Purpose::Participation, {t}));
      (void)engine.local_updates(
          {.round = RoundIndex{t}, .x = x, .work = FixedSteps{0}, .report_residual = true, .reveal = Reveal::Sums},
          group);
    }
    append(seen, engine.transcript());
  }

  EXPECT_GT(best_moments(seen, 7), 0.1);
}

// Many x in one run, of groups as they are kept: their sums and nothing else, and of these as many as vectors.
TEST(RuledAttack, GetsNoMomentsOfPointsOfItsChoosing) {
  for (const std::size_t participants : {0U, 3U}) {
    const SiteMemory memory(7);
    RuledSums clients(prostate_sites(7), memory, {.plan = kFit, .participants = participants});
    RecordingEngine engine(clients);
    const Groups groups(engine.roster(), participants, 3);
    std::size_t asked = 0;
    for (std::uint32_t t = 0; t < 420; ++t) {
      const auto x = test::gaussian_vector(engine.dimension(), t);
      for (const LocalWork& work : {LocalWork(FixedSteps{0}), LocalWork(Gradient{}), LocalWork(NormalProduct{})}) {
        (void)engine.local_updates({.round = RoundIndex{t},
                                    .x = x,
                                    .work = work,
                                    .report_residual = std::holds_alternative<FixedSteps>(work),
                                    .reveal = Reveal::Sums},
                                   groups.at(t % groups.count()));
        ++asked;
      }
    }

    EXPECT_GT(best_moments(engine.transcript(), 7), 0.1) << participants;
    // All that sums over 97 rows can tell of ten columns may be told; of 41 rows it may not.
    EXPECT_EQ(clients.given() < asked, participants == 3) << clients.refusal();
  }
}

TEST(RuledAttack, GetsNoSumsOfRunsThatDifferByOneSite) {
  for (const bool whole_run : {false, true}) {
    const SiteMemory memory(7);
    Transcript seen;
    std::size_t runs = 0;
    for (std::size_t left_out = 0; left_out <= 7; ++left_out) {
      FixtureRun run{.run = "run-" + std::to_string(left_out), .plan = kFit};
      auto sites = prostate_sites(7);
      if (left_out < 7) {
        sites = without(std::move(sites), left_out);
        run.sites = sites_without(7, left_out);
      }
      RuledSums clients(std::move(sites), memory, run, {.whole_run = whole_run});
      RecordingEngine engine(clients);
      (void)engine.local_updates({.round = RoundIndex{0}, .x = {}, .work = CrossProducts{}, .reveal = Reveal::Sums},
                                 test::everyone_but(engine));
      runs += clients.given();
      if (clients.given() == 0) {
        EXPECT_NE(clients.refusal().find("would tell the part of"), std::string::npos) << clients.refusal();
      }
      append(seen, engine.transcript());
    }

    EXPECT_EQ(runs, 1) << "the first, and none that could be compared with it";
  }
}

// Every owner has to say so: the difference of the two sums is the part of the one that left.
TEST(RuledAttack, GetsARunWithoutASiteWhereAllOwnersListItAsLeft) {
  const auto gram_without_last = [](const SiteMemory& memory, const network::ConsentOptions& consent) {
    RuledSums all(prostate_sites(7), memory, {.run = "all", .plan = kFit});
    const LocalTask gram{.round = RoundIndex{0}, .x = {}, .work = CrossProducts{}, .reveal = Reveal::Sums};
    (void)all.local_updates(gram, test::everyone_but(all));
    RuledSums others(without(prostate_sites(7), 6), memory, {.run = "others", .plan = kFit}, consent);
    (void)others.local_updates(gram, test::everyone_but(others));
    return others.given();
  };

  EXPECT_EQ(gram_without_last(SiteMemory(7), {}), 0);
  EXPECT_EQ(gram_without_last(SiteMemory(7), {.rules = {.left = {"site-6"}}}), 0) << "another one";
  EXPECT_EQ(gram_without_last(SiteMemory(7), {.rules = {.left = {"site-7"}}}), 1);
}

TEST(RuledAttack, FindsNoSiteOfOneOrTwoRows) {
  for (const std::size_t sites : {97U, 49U, 32U}) {
    const SiteMemory memory(sites);
    RuledSums clients(prostate_sites(sites), memory, {.plan = kFit});

    EXPECT_NE(clients.refusal().find("fewer than 10 rows (min-rows)"), std::string::npos) << clients.refusal();
  }
}

// One record more at one site, and the difference of two sums is this record.
TEST(RuledAttack, GetsNoSumOfATableThatChangedByOneRow) {
  const SiteMemory memory(7);
  const auto sites = [](std::size_t rows) {
    LinearSystem table = test::prostate_table();
    auto& matrix = std::get<Matrix>(table.rows);
    Matrix fewer(rows, matrix.cols());
    for (std::size_t i = 0; i < rows; ++i) std::ranges::copy(matrix.row(i), fewer.row(i).begin());
    table.rhs.resize(rows);
    return test::clients_of({std::move(fewer), std::move(table.rhs)}, 7, 1, kShuffled);
  };
  const auto gram = [](Engine& engine) {
    (void)engine.local_updates({.round = RoundIndex{0}, .x = {}, .work = CrossProducts{}, .reveal = Reveal::Sums},
                               test::everyone_but(engine));
  };
  RuledSums first(sites(97), memory, {.run = "first", .plan = kFit});
  gram(first);
  EXPECT_EQ(first.given(), 1) << first.refusal();

  RuledSums second(sites(96), memory, {.run = "second", .plan = kFit});
  gram(second);

  EXPECT_EQ(second.given(), 0);
  EXPECT_NE(second.refusal().find("min-rows"), std::string::npos) << second.refusal();

  RuledSums same(sites(97), memory, {.run = "third", .plan = kFit});
  gram(same);
  EXPECT_EQ(same.given(), 1) << same.refusal();
}

// ---- Columns that mark a site.

// A 1 for the rows of the last site, and 0 for all others.
std::vector<Client> marked_sites() {
  const LinearSystem table = test::prostate_table();
  const auto& rows = std::get<Matrix>(table.rows);
  Matrix wider(rows.rows(), rows.cols() + 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::ranges::copy(rows.row(i), wider.row(i).begin());
    wider.row(i)[rows.cols()] = i >= rows.rows() - 13 ? 1.0 : 0.0;
  }
  return test::clients_of({std::move(wider), table.rhs}, 7, 1, kShuffled);
}

TEST(RuledAttack, GetsNoSumWithAColumnThatMarksASite) {
  for (const auto& plan : {kEquations, kFit}) {
    const SiteMemory memory(7);
    RuledSums clients(marked_sites(), memory, {.plan = plan});

    EXPECT_NE(clients.refusal().find("varies among the rows of"), std::string::npos) << clients.refusal();
  }
}

TEST(RuledAttack, GetsNoSingleSteps) {
  const SiteMemory memory(7);
  auto plan = kEquations;
  plan.emplace_back("local-steps", "1");
  RuledSums clients(prostate_sites(7), memory, {.plan = plan});
  EXPECT_NE(clients.refusal().find("--expose-rows"), std::string::npos) << clients.refusal();

  RuledSums others(prostate_sites(7), memory, {.run = "other", .plan = kEquations});
  const auto x = isolating_point(others.dimension(), test::kAge);
  (void)others.local_updates({.round = RoundIndex{0}, .x = x, .work = CutSteps{FixedSteps{1}}, .reveal = Reveal::Sums},
                             test::everyone_but(others));
  EXPECT_EQ(others.given(), 0);
}

// ---- What is not hurt.

TEST(Rules, LetATallTableBeFittedAsOftenAsOneLikes) {
  const SiteMemory memory(7);
  for (std::uint64_t run = 0; run < 20; ++run) {
    RuledSums clients(prostate_sites(7), memory, {.run = "run-" + std::to_string(run), .plan = kFit});
    for (std::uint32_t t = 0; t < 30; ++t) {
      const auto x = test::gaussian_vector(clients.dimension(), 100 * run + t);
      (void)clients.local_updates(
          {.round = RoundIndex{t}, .x = x, .work = Gradient{}, .report_residual = true, .reveal = Reveal::Sums},
          test::everyone_but(clients));
    }
    (void)clients.local_updates({.round = RoundIndex{30}, .x = {}, .work = CrossProducts{}, .reveal = Reveal::Sums},
                                test::everyone_but(clients));

    EXPECT_EQ(clients.given(), 31) << clients.refusal();
  }
}

// 2048x1024 in 16 clients. The rules cost no round: there are as many as where there are none.
TEST(Rules, LetTheSystemOfTheFirstFigureBeSolved) {
  const auto problem = generate({.rows = 2048, .cols = 1024, .seed = 1});
  for (const std::size_t participants : {0U, 5U}) {
    const SiteMemory memory(16);
    const auto sites = [&] { return test::clients_of(copy_of(problem.system), 16, 1, kShuffled); };
    RuledSums clients(sites(), memory, {.plan = kEquations, .participants = participants});
    test::MaskedSums unruled(sites());

    const RunResult result = test::solve_masked(clients, participants, 1);

    EXPECT_EQ(result.converged, true) << clients.refusal();
    EXPECT_LE(test::relative_distance(result.x, problem.solution), 1e-6);
    EXPECT_NEAR(static_cast<double>(result.history.size()),
                static_cast<double>(test::solve_masked(unruled, participants, 1).history.size()), 2.0)
        << "other draws";
  }
}

}  // namespace
}  // namespace fedrk
