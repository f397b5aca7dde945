// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/run_store.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace fedrk::store {
namespace {

namespace fs = std::filesystem;

RunIdentity some_run() {
  return {"0123", RunKind::Server,
          "demo", "rounds = 3\n",
          3,      {{ClientId{0}, "north", 4, 0.1, 5e-324}, {ClientId{1}, "south", 6, 2.0, 1e300}}};
}

RunStore made(const fs::path& path) {
  auto store = RunStore::create(path, some_run());
  if (!store) throw std::runtime_error(store.error().message);
  return *std::move(store);
}

RoundRecord round(std::uint32_t number, std::optional<double> residual = {}) {
  return {RoundIndex{number}, {ClientId{0}}, {{ClientId{1}, "gone"}}, residual, 0.5, 0.25, 100, 200};
}

TEST(RunStore, KeepsWhatARunIs) {
  const test::TempFolder folder;
  {
    RunStore store = made(folder / "run.db");
    EXPECT_EQ(*store.state(), "pending");
    ASSERT_TRUE(store.set_state("running"));
    ASSERT_TRUE(store.put_document("x", std::string_view("\0\1", 2)));
    ASSERT_TRUE(store.put_document("x", "longer than before"));
  }
  const auto store = RunStore::open(folder / "run.db");

  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(store->identity().id, "0123");
  EXPECT_EQ(store->identity().kind, RunKind::Server);
  EXPECT_EQ(store->identity().plan, "rounds = 3\n");
  EXPECT_EQ(store->identity().rounds, 3);
  EXPECT_EQ(difference(store->identity().roster, some_run().roster), "") << "norms to the bit";
  EXPECT_EQ(*store->state(), "running");
  EXPECT_EQ(**store->document("x"), "longer than before");
  EXPECT_FALSE(*store->document("y"));
  EXPECT_EQ(new_run_id().size(), 32);
  EXPECT_NE(new_run_id(), new_run_id());
}

TEST(RunStore, MayLearnLaterWhoTakesPart) {
  const test::TempFolder folder;
  {
    auto store = RunStore::create(folder / "run.db", {.id = "0123", .kind = RunKind::Server});
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_TRUE(store->identity().roster.empty());
    RunIdentity known = some_run();
    known.id = "another";
    ASSERT_TRUE(store->describe(known));
    EXPECT_EQ(store->identity().roster.size(), 2);
  }
  const auto store = RunStore::open(folder / "run.db");
  EXPECT_EQ(store->identity().id, "0123") << "a run stays what it is";
  EXPECT_EQ(store->identity().plan, "rounds = 3\n");
  EXPECT_EQ(difference(store->identity().roster, some_run().roster), "");
}

TEST(RunStore, TellsWhatChangedInARoster) {
  const auto before = some_run().roster;
  auto now = before;
  now[1].squared_norm = 1.0000000000000002e300;
  EXPECT_EQ(difference(before, now), "the rows of south changed");
  now[0].squared_rhs_norm = 0.2;
  EXPECT_EQ(difference(before, now), "the right-hand side of north changed");
  now[0].rows = 5;
  EXPECT_EQ(difference(before, now), "north had 4 rows, now it has 5");
  now[0].name = "west";
  EXPECT_EQ(difference(before, now), "client 1 was north, now it is west");
  now.pop_back();
  EXPECT_EQ(difference(before, now), "there were 2 clients, now there are 1");
}

TEST(RunStore, ShowsAReaderHowFarTheRunIs) {
  const test::TempFolder folder;
  RunStore store = made(folder / "run.db");
  const auto reader = RunStore::open(folder / "run.db", RunStore::Access::Read);
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_TRUE(store.commit({{{0, 0, 42, 1.5, "bytes"}}, {round(0, 0.75), round(1)}}));
  ASSERT_TRUE(store.commit(
      {{}, {round(1), {RoundIndex{2}, {ClientId{0}, ClientId{1}}, {}, {}}}, {{ClientId{1}, {1, 2, 2, "gone"}}}}));
  for (int k = 0; k < 12; ++k) ASSERT_TRUE(store.add_event("info", "tick", std::to_string(k)));

  const auto progress = reader->progress(10);

  ASSERT_TRUE(progress) << progress.error().message;
  EXPECT_EQ(progress->answers, 1);
  EXPECT_EQ(progress->last_round, 2);
  EXPECT_EQ(progress->last_participants, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(progress->residual, 0.75);
  EXPECT_EQ(progress->clients[0].tally.rounds, 0);
  EXPECT_EQ(progress->clients[1].name, "south");
  EXPECT_EQ(progress->clients[1].tally.rounds, 1);
  EXPECT_EQ(progress->clients[1].tally.absences, 2);
  EXPECT_EQ(progress->clients[1].tally.last_absence, "gone");
  EXPECT_EQ(progress->clients[1].tally.last_round, 2);
  ASSERT_EQ(progress->events.size(), 10);
  EXPECT_EQ(progress->events.back().text, "11");
  EXPECT_EQ(store.answer(0)->bytes, "bytes");
  EXPECT_EQ(store.answer(0)->task, 42);
  EXPECT_FALSE(store.answer(1));
}

TEST(RunStore, WritesABatchWholeOrNotAtAll) {
  const test::TempFolder folder;
  RunStore store = made(folder / "run.db");
  ASSERT_TRUE(store.commit({{{0, 0, 0, 0.0, "first"}}}));

  EXPECT_FALSE(store.commit({{{1, 1, 0, 0.0, "second"}, {0, 1, 0, 0.0, "again"}}}));

  EXPECT_EQ(*store.answers(), 1);
  EXPECT_TRUE(store.commit({{{1, 1, 0, 0.0, "second"}}})) << "and goes on after that";
}

TEST(RunStore, TakesEventsFromOtherThreads) {
  const test::TempFolder folder;
  RunStore store = made(folder / "run.db");
  std::thread other([&] {
    for (int k = 0; k < 50; ++k) EXPECT_TRUE(store.add_event("info", "other", "x"));
  });
  for (std::uint64_t k = 0; k < 50; ++k) EXPECT_TRUE(store.commit({{{k, 0, 0, 0.0, "bytes"}}}));
  other.join();

  EXPECT_EQ(*store.answers(), 50);
  EXPECT_EQ(store.progress(100)->events.size(), 50);
}

TEST(RunStore, IsSmallOnceTheRunIsOver) {
  const test::TempFolder folder;
  RunStore store = made(folder / "run.db");
  ASSERT_TRUE(store.commit({{{0, 0, 0, 0.0, std::string(3 << 20, 'x')}}, {round(0, 0.5)}}));

  ASSERT_TRUE(store.finish("finished:completed", "tolerance"));

  EXPECT_EQ(*store.answers(), 0);
  EXPECT_EQ(store.progress()->stop_reason, "tolerance");
  EXPECT_EQ(store.progress()->last_round, 0);
  EXPECT_LT(fs::file_size(folder / "run.db"), 512 << 10);
}

TEST(RunStore, SaysWhatIsWrongWithAFile) {
  const test::TempFolder folder;
  { const RunStore store = made(folder / "run.db"); }
  const std::string whole = folder.read("run.db");
  const auto refusal = [&](const std::string& content) {
    folder.write("run.db", content);
    const auto store = RunStore::open(folder / "run.db");
    return store ? std::string("fine") : folder.local(store.error().message);
  };
  std::string newer = whole, earlier = whole, foreign = whole;
  newer[63] = 6;    // user_version
  earlier[63] = 4;  // without its seals
  foreign[70] = 1;  // application_id

  EXPECT_EQ(refusal(whole), "fine");
  EXPECT_EQ(refusal(newer), "run.db was made by a newer version of fedrk");
  EXPECT_EQ(refusal(earlier),
            "run.db was made by an earlier version of fedrk, which alone can read it: use that one, or begin anew");
  EXPECT_EQ(refusal(foreign), "run.db is not a run.db of fedrk");
  EXPECT_EQ(refusal("name,coefficient\n" + std::string(1000, 'x')), "run.db is not a file that fedrk keeps a run in");
  EXPECT_EQ(refusal(whole.substr(0, whole.size() / 2)), "run.db is damaged: it cannot be read any more");
  EXPECT_EQ(folder.local(RunStore::open(folder / "none.db").error().message), "there is no none.db");
  EXPECT_EQ(folder.local(RunStore::create(folder / "run.db", some_run()).error().message), "run.db is there already");
}

}  // namespace
}  // namespace fedrk::store
