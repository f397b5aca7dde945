// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/replay_guard.hpp"

#include <functional>

#include <gtest/gtest.h>

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
  /// As a new process would; the book in memory stays.
  void open() {
    if (GetParam()) {
      book_.reset();
      book_ = *open_replay_guard(folder_.path() / "state");
    } else if (!book_) {
      book_ = replay_guard_in_memory();
    }
  }
  bool granted(const ReplayGuard::Question& asked, const std::string& run = "run", std::uint8_t answer = 7) {
    const auto seen = book_->look(run, asked), admission = book_->record(run, asked, key_of(answer));
    EXPECT_TRUE(seen && admission);
    EXPECT_TRUE(seen->granted || !admission->granted);
    return admission->granted;
  }

  test::TempFolder folder_;
  std::unique_ptr<ReplayGuard> book_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, ReplayGuards, testing::Bool(),
                         [](const auto& test) { return test.param ? "Stored" : "InMemory"; });

TEST_P(ReplayGuards, KeepTheSecretOfARun) {
  EXPECT_EQ(*book_->secret("run", key_of(1)), key_of(1));
  open();
  EXPECT_EQ(*book_->secret("run", key_of(2)), key_of(1));
  EXPECT_EQ(*book_->secret("another", key_of(3)), key_of(3));
  ASSERT_TRUE(book_->forget("run"));
  EXPECT_EQ(*book_->secret("run", key_of(4)), key_of(4));
  EXPECT_EQ(*book_->secret("another", key_of(5)), key_of(3));
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
  const auto admission = book_->look("run", task(4, 1, 2));
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
  EXPECT_TRUE(*book_->pin("run", "plan", key_of(1)));
  open();
  EXPECT_TRUE(*book_->pin("run", "plan", key_of(1)));
  EXPECT_FALSE(*book_->pin("run", "plan", key_of(2)));
  EXPECT_TRUE(*book_->pin("another", "plan", key_of(2)));
}

TEST(StoredReplayGuard, IsNotOpenedWhereOthersCanReadIt) {
  const test::TempFolder folder;
  ASSERT_TRUE(open_replay_guard(folder.path()));
  std::filesystem::permissions(folder.path() / "masks.db", std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  const auto opened = open_replay_guard(folder.path());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("chmod 600"), std::string::npos);
}

TEST(StoredReplayGuard, IsForItsOwnerAlone) {
  const test::TempFolder folder;
  const auto book = open_replay_guard(folder.path());
  ASSERT_TRUE(book);
  ASSERT_TRUE((*book)->secret("run", key_of(1)));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    EXPECT_EQ(entry.status().permissions() & others, std::filesystem::perms::none) << entry.path();
  }
}

}  // namespace
}  // namespace fedrk::store
