// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/run_journal.hpp"

#include <sys/resource.h>

#include <csignal>
#include <thread>

#include <gtest/gtest.h>

#include "checkpoint/answer_codec.hpp"
#include "support/damage.hpp"
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

// ---- A file that is not as it was written.

RoundReplies replies(std::uint64_t number) {
  const double value = 0.5 + static_cast<double>(number);
  return {.replies = {{ClientId{0}, {value, -value}}}, .absences = {{ClientId{1}, "late"}}};
}

std::uint64_t task_of(std::uint64_t number) { return 1000 + number; }

/// What a resumed run would go on from: answers, and the state between them where a snapshot has it.
struct Found {
  std::string id, federation, state;
  std::uint64_t first = 0;
  std::vector<std::string> answers;
};

Result<Found> found_in(const std::filesystem::path& file) try {
  auto store = RunStore::open(file);
  if (!store) return store.error();
  const auto federation = store->document("federation");
  if (!federation) return federation.error();
  RunJournal journal(*store, CommitPolicy::EachAnswer);
  Found found{store->identity().id + difference(store->identity().roster, {}), federation->value_or(""), "", 0, {}};
  if (const auto saved = journal.saved()) found.state = saved->state + std::to_string(saved->history.size());
  found.first = journal.first();
  for (std::uint64_t number = journal.first(); number < journal.found(); ++number) {
    const auto answer = store->answer(number);
    if (!answer) return answer.error();
    const auto round = decoded(answer->bytes);  // as a JournalEngine does, which refuses another task too
    if (!round || answer->task != task_of(number)) return Error{"run.db is damaged"};
    found.answers.push_back(encoded(*round));
  }
  return found;
} catch (const StoreFailed& failure) {
  return Error{failure.what()};
}

// A flipped byte in the log before the file ends the log there: what is found is then what was true earlier.
TEST(RunFile, HoldsWhatWasWrittenOrIsRefusedWhereAByteOfItFlipped) {
  const test::TempFolder original;
  auto store = RunStore::create(original / "run.db",
                                {.id = "id", .plan = "rounds = 9", .roster = {{ClientId{0}, "a"}, {ClientId{1}, "b"}}});
  ASSERT_TRUE(store) << store.error().message;
  ASSERT_TRUE(store->put_document("federation", "who takes part"));
  RunJournal journal(*store, CommitPolicy::EachAnswer, 1000.0);
  for (std::uint64_t number = 0; number < 12; ++number) {
    const RoundRecord record{RoundIndex{static_cast<std::uint32_t>(number)}, {ClientId{0}}, {}, {}};
    if (number == 3 || number == 6) {
      const std::vector<RoundRecord> three(3, record);
      journal.add_snapshot(number, "state before " + std::to_string(number) + ", after rounds: ", three);
    }
    journal.add_answer({number, 0, task_of(number), 0.0, encoded(replies(number))});
    journal.add_round(record);
  }
  test::Damage damage(original.path(), 11), cuts(original.path(), 12);

  int refusals = 0;
  for (int trial = 0; trial < 240; ++trial) {
    const std::filesystem::path file = (trial % 5 == 0 ? cuts.cut() : damage.flipped()) / "run.db";
    SCOPED_TRACE(trial % 5 == 0 ? cuts.story : damage.story);
    const auto found = found_in(file);
    if (!found) {
      ++refusals;
      EXPECT_NE(found.error().message.find("run.db"), std::string::npos) << found.error().message;
      continue;
    }
    EXPECT_EQ(found->id, "idthere were 2 clients, now there are 0");
    EXPECT_EQ(found->federation, "who takes part");
    ASSERT_TRUE(found->first == 0 || found->first == 3 || found->first == 6) << found->first;
    if (found->first > 0) {
      const std::string first = std::to_string(found->first);
      EXPECT_EQ(found->state, "state before " + first + ", after rounds: " + first);
    }
    for (std::size_t k = 0; k < found->answers.size(); ++k) {
      EXPECT_EQ(found->answers[k], encoded(replies(found->first + k)));
    }
  }
  EXPECT_GT(refusals, 3);
}

}  // namespace
}  // namespace fedrk::store
