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

using Seen = ReplayGuard::Seen;

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
  Seen say(std::uint8_t question, std::uint8_t answer, const std::string& run = "run") {
    const auto before = guard_->look(run, key_of(question));
    const auto said = guard_->record(run, key_of(question), key_of(answer));
    EXPECT_TRUE(before && said);
    EXPECT_EQ(*before == Seen::Never, *said == Seen::Never);
    return *said;
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

TEST_P(ReplayGuards, KnowWhatWasSaidToWhat) {
  EXPECT_EQ(say(1, 7), Seen::Never);
  open();
  EXPECT_EQ(say(1, 7), Seen::Same);
  EXPECT_EQ(say(2, 7), Seen::Never) << "to another question";
  EXPECT_EQ(say(1, 8, "another"), Seen::Never) << "in another run";
}

// Whatever made the answer another one: data that were edited, a plan that was changed.
TEST_P(ReplayGuards, NoticeAnotherAnswerToTheSameQuestion) {
  EXPECT_EQ(say(1, 8), Seen::Never);
  open();
  EXPECT_EQ(say(1, 9), Seen::Other);
  EXPECT_EQ(say(1, 8), Seen::Same);
}

TEST_P(ReplayGuards, ForgetARunAndKeepWhatIsOfAll) {
  say(1, 8);
  say(1, 9, "");
  ASSERT_TRUE(guard_->forget("run"));
  open();
  EXPECT_EQ(say(1, 7), Seen::Never);
  EXPECT_EQ(say(1, 7, ""), Seen::Other);
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
    for (std::uint8_t question = 1; question <= 4; ++question) {
      const auto seen = (*guard)->look(run, key_of(question));
      if (!seen) return seen.error();
      answers.emplace_back(run + std::to_string(question) + ": " + std::to_string(static_cast<int>(*seen)), key_of(0));
    }
  }
  return answers;
}

void live(ReplayGuard& guard) {
  for (std::uint8_t k = 0; k < 3; ++k) {
    const std::string run(1, static_cast<char>('a' + k));
    ASSERT_TRUE(guard.secret(run, key_of(k)));
    for (std::uint8_t question = 1; question <= 3; ++question) {
      ASSERT_TRUE(guard.record(run, key_of(question), key_of(question)));
    }
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
  EXPECT_TRUE((*open_replay_guard(folder / "state"))->record("a", key_of(4), key_of(1)));
  EXPECT_TRUE(open_replay_guard(folder / "state"));

  std::filesystem::remove_all(folder / "state");
  std::filesystem::rename(folder / "backup", folder / "state");
  const auto older = open_replay_guard(folder / "state");

  ASSERT_FALSE(older);
  EXPECT_EQ(
      folder.local(older.error().message),
      "state/masks.db is older than what this client last wrote to it (change 12 of 13): it was restored from a "
      "backup, or lost its last pages; with it this client could answer a question in two ways, and so give its "
      "part away. Put the newest copy back; without one, take it away and begin a new run: those under way cannot "
      "go on with this client");
  std::filesystem::remove(folder / "state/masks.db");
  EXPECT_TRUE(open_replay_guard(folder / "state")) << "as it says";
}

TEST(StoredReplayGuard, RefusesAFileOfAnEarlierVersion) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "state");
  Database::create(folder / "state/masks.db", {0x6665646d, 1, "masks.db"},
                   "CREATE TABLE secrets (run TEXT PRIMARY KEY, secret BLOB NOT NULL);", [](Database&) {});
  std::filesystem::permissions(folder / "state/masks.db",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  const auto opened = open_replay_guard(folder / "state");

  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("masks.db"), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace fedrk::store
