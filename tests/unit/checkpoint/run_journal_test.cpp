// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/run_journal.hpp"

#include <sys/resource.h>

#include <csignal>
#include <thread>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace fedrk::store {
namespace {

class Journals : public ::testing::Test {
 protected:
  Journals()
      : store_(
            *RunStore::create(folder_ / "run.db", {.id = "id", .roster = {{ClientId{0}, "a"}, {ClientId{1}, "b"}}})) {}

  StoredAnswer answer(std::size_t bytes) { return {next_++, 0, 0, 0.0, std::string(bytes, 'x')}; }

  test::TempFolder folder_;
  RunStore store_;
  std::uint64_t next_ = 0;
};

TEST_F(Journals, OfANetworkStoreEachAnswerAtOnce) {
  RunJournal journal(store_, CommitPolicy::EachAnswer);

  journal.add_answer(answer(10));
  EXPECT_EQ(*store_.answers(), 1);
  journal.add_round({RoundIndex{7}, {}, {}, {}});
  EXPECT_EQ(store_.progress()->last_round, 7);
}

TEST_F(Journals, OfOneProcessGatherAnswersAndWriteThemTogether) {
  RunJournal journal(store_, CommitPolicy::Intervals);

  journal.add_answer(answer(10));
  EXPECT_EQ(*store_.answers(), 0);
  journal.add_answer(answer(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  journal.add_answer(answer(10));

  EXPECT_EQ(*store_.answers(), 3);
}

// Two gigabytes a second or so: no disk is as quick.
TEST_F(Journals, EndWhereRoundsAreMadeMoreQuicklyThanStored) {
  RunJournal journal(store_, CommitPolicy::Intervals);
  for (std::uint32_t round = 0; round < 40; ++round) {
    journal.add_answer(answer(100000));
    journal.add_round({RoundIndex{round}, {ClientId{0}}, {{ClientId{1}, "late"}}, {}});
  }
  EXPECT_FALSE(journal.keeps_answers());
  EXPECT_EQ(*store_.answers(), 0);
  EXPECT_EQ(store_.progress()->events.back().event, "journal_ends");
  journal.flush();
  const RunProgress progress = *store_.progress();
  EXPECT_EQ(progress.last_round, 39) << "how far the run is still shows";
  EXPECT_EQ(progress.clients[0].tally.rounds, 40);
  EXPECT_EQ(progress.clients[0].tally.last_round, 39);
  EXPECT_EQ(progress.clients[1].tally.absences, 40);
  EXPECT_EQ(progress.clients[1].tally.last_absence, "late");
}

TEST_F(Journals, OfARunThatIsOverNeedNoAnswers) {
  RunJournal journal(store_, CommitPolicy::Intervals);
  journal.add_answer(answer(10));
  journal.add_round({RoundIndex{4}, {}, {}, {}});

  journal.flush_rounds();

  EXPECT_EQ(*store_.answers(), 0);
  EXPECT_EQ(store_.progress()->last_round, 4);
}

TEST_F(Journals, SayThatTheDiskIsFullAndLoseNothingThatWasStored) {
  RunJournal journal(store_, CommitPolicy::EachAnswer);
  journal.add_answer(answer(1000));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{200000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_THROW(journal.add_answer(answer(400000)), StoreFailed);
  ::setrlimit(RLIMIT_FSIZE, &before);

  EXPECT_EQ(*store_.answers(), 1);
  next_ = 1;
  RunJournal again(store_, CommitPolicy::EachAnswer);
  EXPECT_EQ(again.found(), 1);
  again.add_answer(answer(400000));
  EXPECT_EQ(*store_.answers(), 2);
}

}  // namespace
}  // namespace fedrk::store
