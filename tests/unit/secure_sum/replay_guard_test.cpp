// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/replay_guard.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "checkpoint/sqlite.hpp"
#include "support/damage.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::store {
namespace {

ReplayGuard::Key key_of(std::uint8_t first) {
  ReplayGuard::Key key{};
  key[0] = first;
  return key;
}

ReplayGuard::Question task(std::uint64_t number, std::uint32_t attempt, std::uint8_t question) {
  return {"task", number, attempt, key_of(question)};
}

class ReplayGuards : public testing::TestWithParam<bool> {
 protected:
  ReplayGuards() { open(); }
  /// As a new process would; the guard in memory stays.
  void open() {
    if (GetParam()) {
      guard_.reset();
      guard_ = *open_replay_guard(folder_.path() / "state");
    } else if (!guard_) {
      guard_ = replay_guard_in_memory();
    }
  }
  bool granted(const ReplayGuard::Question& asked, const std::string& run = "run", std::uint8_t answer = 7) {
    const auto seen = guard_->look(run, asked), admission = guard_->record(run, asked, key_of(answer));
    EXPECT_TRUE(seen && admission);
    EXPECT_TRUE(seen->granted || !admission->granted);
    return admission->granted;
  }

  test::TempFolder folder_;
  std::unique_ptr<ReplayGuard> guard_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, ReplayGuards, testing::Bool(),
                         [](const auto& test) { return test.param ? "Stored" : "InMemory"; });

TEST_P(ReplayGuards, KeepTheSecretOfARun) {
  EXPECT_EQ(*guard_->secret("run", key_of(1)), key_of(1));
  open();
  EXPECT_EQ(*guard_->secret("run", key_of(2)), key_of(1));
  EXPECT_EQ(*guard_->secret("another", key_of(3)), key_of(3));
  ASSERT_TRUE(guard_->forget("run"));
  EXPECT_EQ(*guard_->secret("run", key_of(4)), key_of(4));
  EXPECT_EQ(*guard_->secret("another", key_of(5)), key_of(3));
}

TEST_P(ReplayGuards, GrantAQuestionOnceAndItsRepetition) {
  EXPECT_TRUE(granted(task(0, 0, 1)));
  open();
  EXPECT_TRUE(granted(task(0, 0, 1))) << "to the letter";
  EXPECT_FALSE(granted(task(0, 0, 2))) << "another question of the same number";
  EXPECT_TRUE(granted(task(0, 1, 2))) << "a new attempt";
  EXPECT_FALSE(granted(task(0, 0, 1))) << "an earlier one";
  EXPECT_TRUE(granted(task(7, 0, 3)));
  open();
  EXPECT_FALSE(granted(task(6, 9, 3)));
  EXPECT_TRUE(granted(task(6, 0, 3), "another"));
  EXPECT_TRUE(granted({"columns", 0, 0, key_of(1)})) << "of another kind";
}

TEST_P(ReplayGuards, TellWhatWasAnsweredLast) {
  granted(task(4, 3, 1));
  const auto admission = guard_->look("run", task(4, 1, 2));
  EXPECT_FALSE(admission->granted);
  EXPECT_EQ(admission->last_number, 4);
  EXPECT_EQ(admission->last_attempt, 3);
}

// Whatever made the answer another one: data that were edited, a plan that was changed.
TEST_P(ReplayGuards, LetNoOtherAnswerToTheSameQuestionLeave) {
  EXPECT_TRUE(granted(task(4, 0, 1), "run", 8));
  open();
  EXPECT_FALSE(granted(task(4, 0, 1), "run", 9));
  EXPECT_TRUE(granted(task(4, 0, 1), "run", 8));
}

TEST_P(ReplayGuards, PinWhatMustStayAsItIs) {
  EXPECT_TRUE(*guard_->pin("run", "plan", key_of(1)));
  open();
  EXPECT_TRUE(*guard_->pin("run", "plan", key_of(1)));
  EXPECT_FALSE(*guard_->pin("run", "plan", key_of(2)));
  EXPECT_TRUE(*guard_->pin("another", "plan", key_of(2)));
}

TEST(StoredReplayGuard, IsNotOpenedWhereOthersCanReadIt) {
  const test::TempFolder folder;
  ASSERT_TRUE(open_replay_guard(folder / "state"));
  std::filesystem::permissions(folder / "state/masks.db", std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  const auto opened = open_replay_guard(folder / "state");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("chmod 600"), std::string::npos);
}

TEST(StoredReplayGuard, IsForItsOwnerAlone) {
  const test::TempFolder folder;
  const auto guard = open_replay_guard(folder / "state");
  ASSERT_TRUE(guard);
  ASSERT_TRUE((*guard)->secret("run", key_of(1)));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "state")) {
    const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    EXPECT_EQ(entry.status().permissions() & others, std::filesystem::perms::none) << entry.path();
  }
}

// ---- State that is not as it was written.

using Answers = std::vector<std::pair<std::string, ReplayGuard::Key>>;

/// What a client would do with its state: which secrets it has, which questions it would answer.
Result<Answers> answers_from(const std::filesystem::path& state) {
  const auto guard = open_replay_guard(state);
  if (!guard) return guard.error();
  Answers answers;
  for (const std::string run : {"a", "b", "c"}) {
    const auto secret = (*guard)->secret(run, key_of(99));
    if (!secret) return secret.error();
    answers.emplace_back("secret of " + run, *secret);
    for (std::uint64_t number = 1; number <= 3; ++number) {
      for (std::uint8_t question = 1; question <= 3; ++question) {
        const auto seen = (*guard)->look(run, task(number, 1, question));
        if (!seen) return seen.error();
        const std::string verdict = std::to_string(seen->granted) + std::to_string(seen->repeated) + " after " +
                                    std::to_string(seen->last_number) + "." + std::to_string(seen->last_attempt);
        answers.emplace_back(run + std::to_string(number) + std::to_string(question) + ": " + verdict, key_of(0));
      }
    }
  }
  return answers;
}

void live(ReplayGuard& guard) {
  for (std::uint8_t k = 0; k < 3; ++k) {
    const std::string run(1, static_cast<char>('a' + k));
    ASSERT_TRUE(guard.secret(run, key_of(k)));
    ASSERT_TRUE(*guard.pin(run, "plan", key_of(1)));
    ASSERT_TRUE(guard.record(run, task(1, 0, 1), key_of(1)));
    ASSERT_TRUE(guard.record(run, task(2, 1, 2), key_of(2)));
  }
}

void expect_the_same_or_a_refusal(const Result<Answers>& before, const Result<Answers>& after, const std::string& story,
                                  int& refusals) {
  ASSERT_TRUE(before);
  if (after) {
    EXPECT_EQ(*after, *before) << story;
    return;
  }
  ++refusals;
  EXPECT_NE(after.error().message.find("masks."), std::string::npos) << story << ": " << after.error().message;
}

// Closed in order, and as a killed process leaves it.
TEST(StoredReplayGuard, GivesTheSameAnswersOrNoneWhereAByteOfItsFilesFlipped) {
  const test::TempFolder closed, killed;
  auto alive = open_replay_guard(closed / "state");
  ASSERT_TRUE(alive);
  live(**alive);
  std::filesystem::copy(closed.path(), killed.path(), std::filesystem::copy_options::recursive);
  alive->reset();
  for (const test::TempFolder* original : {&closed, &killed}) {
    test::Damage damage(original->path(), 5), copies(original->path(), 7);
    const auto before = answers_from(test::Damage(original->path(), 1).whole() / "state");
    int refusals = 0;
    for (int trial = 0; trial < 150; ++trial) {
      const auto after = answers_from(damage.flipped() / "state");
      expect_the_same_or_a_refusal(before, after, damage.story, refusals);
    }
    EXPECT_GT(refusals, 20);
    for (int trial = 0; trial < 30; ++trial) {
      const auto after = answers_from(copies.cut() / "state");
      expect_the_same_or_a_refusal(before, after, copies.story, refusals);
    }
  }
}

TEST(StoredReplayGuard, IsNotOpenedWhereAnOlderCopyWasPutBack) {
  const test::TempFolder folder;
  {
    const auto guard = *open_replay_guard(folder / "state");
    live(*guard);
  }
  std::filesystem::copy(folder / "state", folder / "backup", std::filesystem::copy_options::recursive);
  EXPECT_TRUE((*open_replay_guard(folder / "state"))->record("a", task(3, 0, 1), key_of(1)));
  EXPECT_TRUE(open_replay_guard(folder / "state"));

  std::filesystem::remove_all(folder / "state");
  std::filesystem::rename(folder / "backup", folder / "state");
  const auto older = open_replay_guard(folder / "state");

  ASSERT_FALSE(older);
  EXPECT_EQ(folder.local(older.error().message),
            "state/masks.db is older than what this client last wrote to it (change 12 of 13): it was restored from a "
            "backup, or lost its last pages; with it this client could answer a question twice, and so give its part "
            "away. Put the newest copy back; without one, take it away and begin a new run: those under way cannot go "
            "on with this client");
  std::filesystem::remove(folder / "state/masks.db");
  EXPECT_TRUE(open_replay_guard(folder / "state")) << "as it says";
}

TEST(StoredReplayGuard, GoesOnWithAFileOfAnEarlierVersion) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "state");
  Database::create(folder / "state/masks.db", {0x6665646d, 1, "masks.db"},
                   "CREATE TABLE secrets (run TEXT PRIMARY KEY, secret BLOB NOT NULL);"
                   "CREATE TABLE claims (run TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, attempt "
                   "INTEGER NOT NULL, question BLOB NOT NULL, answer BLOB NOT NULL, PRIMARY KEY (run, kind));",
                   [](Database& database) {
                     database.run("INSERT INTO secrets VALUES ('a', ?)",
                                  Blob{std::string_view("0123456789abcdef0123456789abcdef")});
                   });

  const auto first = (*open_replay_guard(folder / "state"))->secret("a", key_of(1));
  const auto second = (*open_replay_guard(folder / "state"))->secret("a", key_of(2));

  ASSERT_TRUE(first && second);
  EXPECT_EQ((*first)[0], '0');
  EXPECT_EQ(*second, *first);
}

}  // namespace
}  // namespace fedrk::store
