// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/journal_engine.hpp"

#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "checkpoint/answer_codec.hpp"
#include "methods/method_options.hpp"
#include "methods/refit.hpp"
#include "support/scripted_engine.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::store {
namespace {

struct Killed {};

struct Way {
  const char* name;
  MethodOptions method;
  RunOptions run;
};

std::vector<Way> ways() {
  MethodOptions by_fedrk{.name = MethodName::Fedrk}, automatic, fit;
  fit.least_squares = true;
  return {{"published", by_fedrk, {.rounds = 40, .participants = 3, .tolerance = 1e-9}},
          {"published, keeping", by_fedrk, {.rounds = 40, .participants = 2, .sparsity = 3}},
          {"auto", automatic, {.rounds = 60, .participants = 3}},
          {"least squares", fit, {.rounds = 80, .participants = 2}}};
}

InProcessEngine some_clients() {
  auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 60, .cols = 12, .seed = 4});
  return InProcessEngine(test::clients_of(std::move(problem.system), 5, 4), 1);
}

RunResult run_with(Engine& engine, const Way& way, std::span<RoundObserver* const> observers = {},
                   const StopSignal* stop = nullptr) {
  const RunOptions options = run_options_for(goal_of(way.method, way.run), way.run);
  const auto method = make_method(way.method, options, engine);
  return FederatedRun(options).run(engine, *method, {}, observers, stop);
}

/// A run with refit, as a plan would have it.
RunResult run_and_refit(Engine& engine) {
  RunResult result = run_with(engine, ways()[1]);
  RunOptions options = ways()[1].run;
  options.first_round = static_cast<std::uint32_t>(result.history.size());
  options.rounds = 60;
  Refit made = refit(engine, {.run = options, .support = {0, 2, 5}}, result.x);
  made.result.earlier_seconds += result.earlier_seconds;
  return std::move(made.result);
}

struct StopAfter final : RoundObserver {
  StopSignal& stop;
  std::uint32_t last;
  StopAfter(StopSignal& s, std::uint32_t round) : stop(s), last(round) {}
  void on_round(const RoundRecord& record, std::span<const double>) override {
    if (record.round.value == last) stop.request();
  }
};

class KilledRuns : public ::testing::Test {
 protected:
  using Run = std::function<RunResult(Engine&)>;

  KilledRuns() { (void)RunStore::create(path(), {"id"}); }
  std::filesystem::path path() const { return folder_ / "run.db"; }
  RunStore opened() const { return *RunStore::open(path()); }

  /// One process: new clients, what the store knows, and an end after so many answers of its own. The last of the
  /// answers before that may be lost, as those that were still waiting to be written.
  std::optional<RunResult> attempt(const Run& run, std::uint64_t answers, std::uint64_t lost) {
    RunStore store = opened();
    InProcessEngine clients = some_clients();
    RunJournal journal(store, CommitPolicy::Intervals);
    std::uint64_t asked = 0;
    struct Mortal final : Engine {
      Engine& inner;
      std::function<void()> before;
      Mortal(Engine& e, std::function<void()> b) : inner(e), before(std::move(b)) {}
      std::span<const ClientSummary> roster() const override { return inner.roster(); }
      std::size_t dimension() const override { return inner.dimension(); }
      RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
        before();
        return inner.local_updates(task, participants);
      }
    } mortal(clients, [&] {
      if (asked + lost == answers) journal.flush();
      if (asked++ == answers) throw Killed{};
    });
    JournalEngine engine(mortal, journal);
    try {
      return run(engine);
    } catch (const Killed&) {
      return std::nullopt;
    }
  }

  test::TempFolder folder_;
};

TEST_F(KilledRuns, EndWithTheBitsOfAnUndisturbedOne) {
  std::vector<std::pair<std::string, Run>> runs{{"refit", run_and_refit}};
  for (const Way& way : ways()) runs.emplace_back(way.name, [way](Engine& engine) { return run_with(engine, way); });
  for (const auto& [name, run] : runs) {
    InProcessEngine clients = some_clients();
    const RunResult undisturbed = run(clients);
    std::filesystem::remove(path());
    ASSERT_TRUE(RunStore::create(path(), {"id"}));
    std::optional<RunResult> result;
    int deaths = 0;
    for (std::uint64_t seed = 0; !result; ++seed, ++deaths) {
      RngStream stream = stream_for(seed, Purpose::Participation);
      const std::uint64_t answers = 3 + stream.below(4);
      result = attempt(run, answers, stream.below(3));
    }
    EXPECT_GT(deaths, 1) << name;
    EXPECT_EQ(result->x, undisturbed.x) << name;
    EXPECT_EQ(result->termination, undisturbed.termination) << name;
    EXPECT_EQ(result->notes, undisturbed.notes) << name;
    EXPECT_EQ(result->bytes_up, undisturbed.bytes_up) << name;
    ASSERT_EQ(result->history.size(), undisturbed.history.size()) << name;
    EXPECT_EQ(result->history.back().participants, undisturbed.history.back().participants) << name;
    EXPECT_EQ(result->history.back().relative_residual, undisturbed.history.back().relative_residual) << name;
    EXPECT_GT(result->earlier_seconds, 0.0) << name;
  }
}

TEST_F(KilledRuns, AreStoppedAndGoOnAsIfTheyHadNotBeen) {
  const Way way = ways()[0];
  InProcessEngine whole = some_clients();
  const RunResult undisturbed = run_with(whole, way);
  RunStore store = opened();
  InProcessEngine clients = some_clients();
  StopSignal stop;
  {
    StopAfter observer(stop, 9);
    RunJournal journal(store, CommitPolicy::EachAnswer);
    RoundRecorder recorder(journal);
    RoundObserver* const observers[] = {&observer, &recorder};
    JournalEngine engine(clients, journal, &stop);
    const RunResult stopped = run_with(engine, way, observers, &stop);
    EXPECT_EQ(stopped.termination, Termination::Interrupted);
    EXPECT_TRUE(stopped.relative_residual) << "the last look is taken, and left out of the journal";
    EXPECT_EQ(engine.next(), 10);
  }
  EXPECT_EQ(store.progress()->last_round, 9);

  RunJournal journal(store, CommitPolicy::EachAnswer);
  JournalEngine engine(clients, journal);
  EXPECT_EQ(run_with(engine, way).x, undisturbed.x);
}

// The first run still makes its last look, which is left out; the refit then asked for the lengths of the columns, and
// those once took the look's place in the journal.
TEST_F(KilledRuns, MayBeStoppedBetweenARunAndItsRefit) {
  Way way = ways()[0];
  way.run.rounds = 5;
  way.run.last_iterate = true;  // what is to be refitted
  RunOptions options = way.run;
  options.first_round = 5;
  options.rounds = 60;
  InProcessEngine whole = some_clients();
  const RunResult undisturbed = refit(whole, {.run = options}, run_with(whole, way).x).result;
  RunStore store = opened();
  InProcessEngine clients = some_clients();
  {
    StopSignal stop;
    StopAfter observer(stop, 4);
    RoundObserver* const observers[] = {&observer};
    RunJournal journal(store, CommitPolicy::EachAnswer);
    JournalEngine engine(clients, journal, &stop);
    const RunResult first = run_with(engine, way, observers, &stop);
    EXPECT_EQ(first.termination, Termination::RoundLimit);
    EXPECT_EQ(refit(engine, {.run = options}, first.x, {}, &stop).result.termination, Termination::Interrupted);
    EXPECT_EQ(*store.answers(), 5);
  }
  RunJournal journal(store, CommitPolicy::EachAnswer);
  JournalEngine engine(clients, journal);
  EXPECT_EQ(refit(engine, {.run = options}, run_with(engine, way).x).result.x, undisturbed.x);
}

TEST_F(KilledRuns, RepeatOnlyWhatIsAskedAsBefore) {
  RunStore store = opened();
  InProcessEngine clients = some_clients();
  Way way = ways()[0];
  {
    RunJournal journal(store, CommitPolicy::EachAnswer);
    JournalEngine engine(clients, journal);
    (void)run_with(engine, way);
  }
  way.run.seed = 2;
  RunJournal journal(store, CommitPolicy::EachAnswer);
  JournalEngine engine(clients, journal);
  try {
    (void)run_with(engine, way);
    FAIL() << "another seed was taken for the same run";
  } catch (const ReplayDiffers& error) {
    EXPECT_STREQ(error.what(),
                 "answer 0 of the run, in round 1, is one to another question: plan, data or program changed since it "
                 "was stored");
  }
}

TEST_F(KilledRuns, NoticeADamagedAnswer) {
  RunStore store = opened();
  InProcessEngine clients = some_clients();
  const LocalTask task{RoundIndex{6}, {}, ColumnNorms{}};
  const std::vector<ClientId> asked{ClientId{0}};
  {
    RunJournal journal(store, CommitPolicy::EachAnswer);
    JournalEngine engine(clients, journal);
    (void)engine.local_updates(task, asked);
  }
  StoredAnswer answer = *store.answer(0);
  answer.bytes[40] = static_cast<char>(answer.bytes[40] ^ 1);
  answer.number = 1;
  ASSERT_TRUE(store.commit({.answers = {answer}}));
  RunJournal journal(store, CommitPolicy::EachAnswer);
  JournalEngine engine(clients, journal);
  EXPECT_EQ(encoded(engine.local_updates(task, asked)), store.answer(0)->bytes);
  try {
    (void)engine.local_updates(task, asked);
    FAIL() << "a damaged answer was used";
  } catch (const StoreFailed& error) {
    EXPECT_STREQ(error.what(), "run.db is damaged: answer 1 of the run, in round 7, is not as it was written");
  }
}

TEST_F(KilledRuns, ShowTheTimeThatAnAnswerTookAtFirst) {
  RunStore store = opened();
  InProcessEngine clients = some_clients();
  const LocalTask task{RoundIndex{0}, {}, ColumnNorms{}};
  const std::vector<ClientId> asked{ClientId{0}};
  StoredAnswer stored;
  {
    RunJournal journal(store, CommitPolicy::EachAnswer);
    JournalEngine engine(clients, journal);
    EXPECT_EQ(engine.local_updates(task, asked).earlier_seconds, 0.0);
    stored = *store.answer(0);
    EXPECT_GT(stored.seconds, 0.0);
  }
  RunJournal journal(store, CommitPolicy::EachAnswer);
  EXPECT_EQ(JournalEngine(clients, journal).local_updates(task, asked).earlier_seconds, stored.seconds);
}

TEST_F(KilledRuns, TellOneQuestionFromAnother) {
  const auto clients_asked = std::vector{ClientId{0}, ClientId{2}};
  const auto ask = [&](const LocalWork& work) {
    RunStore store = opened();
    InProcessEngine clients = some_clients();
    RunJournal journal(store, CommitPolicy::EachAnswer);
    JournalEngine engine(clients, journal);
    return engine.local_updates({RoundIndex{0}, {}, work}, clients_asked);
  };
  const RoundReplies first = ask(ColumnSquares{3});

  const RoundReplies again = ask(ColumnSquares{3});

  ASSERT_EQ(again.replies.size(), 2U);
  EXPECT_EQ(encoded(again), encoded(first));
  EXPECT_GT(again.earlier_seconds, 0.0) << "from the journal";
  EXPECT_THROW(ask(ColumnSquares{2}), ReplayDiffers);
  EXPECT_THROW(ask(ColumnNorms{}), ReplayDiffers);
}

}  // namespace
}  // namespace fedrk::store
