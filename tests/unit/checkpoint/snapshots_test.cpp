// SPDX-License-Identifier: Apache-2.0

// Runs that are killed and go on from a snapshot, with the bits of an undisturbed one.

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "analysis/observers.hpp"
#include "checkpoint/journal_engine.hpp"
#include "checkpoint/run_tables.hpp"
#include "methods/fedrk_method.hpp"
#include "methods/method_options.hpp"
#include "methods/refit.hpp"
#include "support/direct_solver.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::store {
namespace {

struct Killed {};

struct Way {
  std::string name;
  MethodOptions method;
  RunOptions run;
  ProblemKind kind = ProblemKind::Inconsistent;
  bool refits = false;
  bool in_doubles = false;  // the cross-products of a system that these do not suffice for: gradients follow
};

std::vector<Way> ways() {
  const MethodOptions by_fedrk{.name = MethodName::Fedrk};
  MethodOptions fit, gram, sparse, average, few, all, unremembering, secret;
  fit.least_squares = gram.least_squares = true;
  fit.name = MethodName::Cg;
  gram.name = MethodName::Gram;
  sparse.soft = 0.05;
  average.average.emplace().rounds = 10;
  few.memory = 2;
  all.memory = HyperplaneMemory::kAll;
  unremembering.memory = 0;
  secret.privacy.epsilon = 4.0;
  const auto consistent = ProblemKind::Gaussian;
  return {{"published", by_fedrk, {.rounds = 40, .participants = 3, .tolerance = 1e-9}},
          {"keeping", by_fedrk, {.rounds = 40, .participants = 2, .sparsity = 3}},
          {"keeping_and_refit", by_fedrk, {.rounds = 40, .participants = 2, .sparsity = 3}, consistent, true},
          {"automatic", {}, {.rounds = 60, .participants = 3, .tolerance = 1e-10}, consistent},
          {"contradictory", {}, {.rounds = 400, .participants = 3}},
          {"few_rounds", few, {.rounds = 60, .participants = 2, .tolerance = 1e-10}, consistent},
          {"all_rounds", all, {.rounds = 60, .participants = 2, .tolerance = 1e-10}, consistent},
          {"no_memory", unremembering, {.rounds = 60, .participants = 2}, consistent},
          {"sparse", sparse, {.rounds = 40, .participants = 3}, consistent},
          {"average", average, {.rounds = 40, .participants = 3}},
          {"private", secret, {.rounds = 40, .participants = 3}},
          {"gradients", fit, {.rounds = 80, .participants = 2}},
          {"gram_and_gradients", gram, {.rounds = 80, .participants = 2}, consistent, false, true}};
}

InProcessEngine clients_for(const Way& way) {
  if (way.in_doubles) {
    auto hard = test::system_of_condition(600, 60, 3e7, 1);
    axpy(1e-3, test::gaussian_vector(600, 1), hard.system.rhs);
    return InProcessEngine(test::clients_of(std::move(hard.system), 6, 1), 1);
  }
  auto problem = generate({.kind = way.kind, .rows = 60, .cols = 12, .seed = 4});
  return InProcessEngine(test::clients_of(std::move(problem.system), 5, 4), 1);
}

/// What a run leaves, but for its times.
struct Outcome {
  RunResult result;
  std::vector<std::uint64_t> counts;
  std::uint32_t first_round = 0;  // that this process made itself
};

struct FirstRound final : RoundObserver {
  std::optional<std::uint32_t> seen;
  void on_round(const RoundRecord& record, std::span<const double>) override {
    if (!seen) seen = record.round.value;
  }
};

Outcome run_with(Engine& engine, const Way& way, RoundObserver* watch = nullptr) {
  RunOptions options = run_options_for(goal_of(way.method, way.run), way.run);
  options.last_iterate = way.refits;
  SelectionCounts counts;
  FirstRound first;
  std::vector<RoundObserver*> observers{&counts, &first};
  if (watch != nullptr) observers.push_back(watch);
  std::unique_ptr<Method> method = make_method(way.method, options, engine);
  if (way.in_doubles) {
    method = std::make_unique<GramMethod>(FitOptions{.tolerance = 1e-13, .pairs = false}, engine.roster());
  }
  Outcome outcome{FederatedRun(options).run(engine, *method, {}, observers), counts.counts()};
  outcome.first_round = first.seen.value_or(0);
  if (way.refits) {
    options.first_round = static_cast<std::uint32_t>(outcome.result.history.size());
    outcome.result.x = refit(engine, {.run = options, .support = {0, 2, 5}}, outcome.result.x).result.x;
  }
  return outcome;
}

/// An engine that ends its process before it is asked for the k-th time.
class Mortal final : public Engine {
 public:
  Mortal(Engine& inner, std::uint64_t questions) : inner_(inner), left_(questions) {}
  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    if (left_-- == 0) throw Killed{};
    return inner_.local_updates(task, participants);
  }

 private:
  Engine& inner_;
  std::uint64_t left_;
};

class SnapshotsOfARun : public testing::Test {
 protected:
  SnapshotsOfARun() { (void)RunStore::create(path(), {"id"}); }
  std::filesystem::path path() const { return folder_ / "run.db"; }

  /// One process, which makes so many questions of its own.
  std::optional<Outcome> attempt(const Way& way, std::uint64_t questions, double interval = 0.0,
                                 CommitPolicy policy = CommitPolicy::Intervals) {
    RunStore store = *RunStore::open(path());
    InProcessEngine clients = clients_for(way);
    Mortal mortal(clients, questions);
    RunJournal journal(store, policy, interval);
    found_first_ = journal.first();
    JournalEngine engine(mortal, journal);
    RoundRecorder recorder(journal);
    try {
      return run_with(engine, way, &recorder);
    } catch (const Killed&) {
      return std::nullopt;
    }
  }

  void execute(const std::string& sql) { Database::open(path(), kRunFile).execute(sql); }
  std::int64_t number(const std::string& sql) {
    Database database = Database::open(path(), kRunFile);
    return database.value<std::int64_t>(sql).value_or(-1);
  }

  test::TempFolder folder_;
  std::uint64_t found_first_ = 0;
};

class Snapshots : public SnapshotsOfARun, public testing::WithParamInterface<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, Snapshots, testing::ValuesIn(ways()), [](const auto& test) { return test.param.name; });

void expect_same(const Outcome& found, const Outcome& expected) {
  const RunResult &a = found.result, &b = expected.result;
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(found.counts, expected.counts);
  EXPECT_EQ(a.termination, b.termination);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.bytes_up, b.bytes_up);
  EXPECT_EQ(a.bytes_down, b.bytes_down);
  EXPECT_EQ(a.relative_residual, b.relative_residual);
  EXPECT_EQ(a.criterion, b.criterion);
  EXPECT_EQ(a.converged, b.converged);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t t = 0; t < a.history.size(); ++t) {
    EXPECT_EQ(a.history[t].round.value, b.history[t].round.value);
    EXPECT_EQ(a.history[t].participants, b.history[t].participants);
    EXPECT_EQ(a.history[t].relative_residual, b.history[t].relative_residual);
    EXPECT_EQ(a.history[t].movement, b.history[t].movement);
    EXPECT_EQ(a.history[t].bytes_up, b.history[t].bytes_up);
  }
}

TEST_P(Snapshots, LetAKilledRunGoOnToTheSameBits) {
  InProcessEngine clients = clients_for(GetParam());
  const Outcome undisturbed = run_with(clients, GetParam());

  std::optional<Outcome> result;
  std::uint64_t deaths = 0, last_first = 0;
  for (std::uint64_t seed = 0; !result; ++seed, ++deaths) {
    RngStream stream = stream_for(seed, Purpose::Participation);
    result = attempt(GetParam(), 4 + stream.below(5));
    EXPECT_GE(found_first_, last_first);
    last_first = found_first_;
  }

  EXPECT_GT(deaths, 0);
  EXPECT_GT(last_first, 0) << "the last process began at a snapshot";
  expect_same(*result, undisturbed);
  EXPECT_TRUE(GetParam().refits || deaths == 1 || result->first_round > 0) << "near where it was";
}

// One in three processes finds its last snapshot torn.
TEST_P(Snapshots, FallBackToTheOneBeforeWhereTheLastIsDamaged) {
  InProcessEngine clients = clients_for(GetParam());
  const Outcome undisturbed = run_with(clients, GetParam());

  std::optional<Outcome> result = attempt(GetParam(), 9);
  for (std::uint64_t k = 0; !result; ++k) {
    const std::int64_t newest = number("SELECT max(next) FROM snapshots");
    const std::int64_t older = number("SELECT min(next) FROM snapshots");
    const bool torn = k % 3 == 0 && newest > older;
    if (torn) {
      execute("UPDATE snapshots SET state = substr(state, 1, length(state) - 5) WHERE next = " +
              std::to_string(newest));
    }
    result = attempt(GetParam(), 9);
    EXPECT_EQ(found_first_, static_cast<std::uint64_t>(std::max<std::int64_t>(0, torn ? older : newest)));
  }

  expect_same(*result, undisturbed);
}

Way quick() { return ways()[0]; }

TEST_F(SnapshotsOfARun, OfAServerAreKeptWithEveryAnswerSince) {
  InProcessEngine clients = clients_for(quick());
  const Outcome undisturbed = run_with(clients, quick());

  std::optional<Outcome> result;
  for (int deaths = 0; !result && deaths < 100; ++deaths) {
    result = attempt(quick(), 3, 1e9, CommitPolicy::EachAnswer);
    if (deaths == 2) {
      EXPECT_FALSE(attempt(quick(), 1, 0.0, CommitPolicy::EachAnswer));
    }
  }

  ASSERT_TRUE(result);
  expect_same(*result, undisturbed);
  EXPECT_GT(found_first_, 0);
}

TEST_F(SnapshotsOfARun, BothDamagedAreTheEndOfIt) {
  EXPECT_FALSE(attempt(quick(), 9));
  execute("UPDATE snapshots SET state = zeroblob(20)");

  EXPECT_THROW(attempt(quick(), 9, 0.0, CommitPolicy::EachAnswer), StoreFailed);
  EXPECT_THROW(attempt(quick(), 9), StoreFailed);
}

// The answers before the first snapshot are kept until there is another.
TEST_F(SnapshotsOfARun, TheFirstDamagedIsDoneWithout) {
  InProcessEngine clients = clients_for(quick());
  const Outcome undisturbed = run_with(clients, quick());
  EXPECT_FALSE(attempt(quick(), 5, 1e9, CommitPolicy::EachAnswer));
  EXPECT_FALSE(attempt(quick(), 0, 0.0, CommitPolicy::EachAnswer));
  execute("UPDATE snapshots SET state = zeroblob(20)");

  const auto result = attempt(quick(), 1000, 0.0, CommitPolicy::EachAnswer);

  EXPECT_EQ(found_first_, 0);
  ASSERT_TRUE(result);
  expect_same(*result, undisturbed);
}

// A damaged piece of the history is as bad as a damaged state.
TEST_F(SnapshotsOfARun, NeedTheHistoryOfTheirRounds) {
  EXPECT_FALSE(attempt(quick(), 9));
  execute("UPDATE history SET records = substr(records, 2) WHERE first = (SELECT max(first) FROM history)");

  EXPECT_FALSE(attempt(quick(), 0));

  EXPECT_EQ(found_first_, 8) << "the snapshot before the last";
}

// As the methods of others may be: it goes on with the journal alone.
TEST_F(SnapshotsOfARun, AreNotTakenOfAMethodWithoutAList) {
  struct Unlisted final : Method {
    FedrkMethod inner{RunOptions{}};
    Request request(RoundIndex t, std::span<const double> x) override { return inner.request(t, x); }
    void update(RoundIndex t, RoundReplies& round, std::span<double> x) override { inner.update(t, round, x); }
  } first, second;
  const FederatedRun run({.rounds = 20});
  InProcessEngine clients = clients_for(quick());
  Mortal mortal(clients, 9);
  RunStore store = *RunStore::open(path());
  {
    RunJournal journal(store, CommitPolicy::EachAnswer, 0.0);
    JournalEngine engine(mortal, journal);
    EXPECT_THROW((void)run.run(engine, first), Killed);
  }

  RunJournal journal(store, CommitPolicy::EachAnswer, 0.0);
  JournalEngine engine(clients, journal);
  const RunResult result = run.run(engine, second);

  EXPECT_EQ(journal.first(), 0);
  EXPECT_EQ(journal.found(), 9);
  EXPECT_EQ(number("SELECT count(*) FROM snapshots"), 0);
  EXPECT_EQ(result.x, run.run(clients).x);
}

TEST_F(SnapshotsOfARun, OfAnotherPlanAreRefused) {
  EXPECT_FALSE(attempt(quick(), 9));
  Way other = quick();
  other.method = {};

  EXPECT_THROW(attempt(other, 9), InvalidArgument);
}

// Two thousand rounds with a snapshot after each: two of them stay, no answer before them, and a short log.
TEST_F(SnapshotsOfARun, KeepTheFileSmallOverALongRun) {
  Way way = quick();
  way.run.rounds = 2000;
  way.run.tolerance = 0.0;

  EXPECT_TRUE(attempt(way, 100000));

  EXPECT_EQ(number("SELECT count(*) FROM snapshots"), 2);
  EXPECT_LE(number("SELECT count(*) FROM answers"), 2);
  const auto history = number("SELECT sum(length(records)) FROM history");
  const auto rounds = number("SELECT count(*) FROM rounds") + number("SELECT count(*) FROM participation");
  const auto size = std::filesystem::file_size(path());
  EXPECT_LT(size, 200000U + 2U * static_cast<std::uintmax_t>(history) + 60U * static_cast<std::uintmax_t>(rounds));
  std::error_code none;
  const auto log = std::filesystem::file_size(folder_ / "run.db-wal", none);
  EXPECT_TRUE(none || log < 500000U) << log;
}

}  // namespace
}  // namespace fedrk::store
