// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/wire.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "plan/plan_options.hpp"
#include "support/doubles.hpp"
#include "support/messages.hpp"

namespace fedrk::wire {
namespace {

const std::vector<ClientId> kAsked{ClientId{0}, ClientId{2}, ClientId{5}};
constexpr ClientId kSelf{2};

std::vector<LocalWork> all_work() {
  return {FixedSteps{0},
          FixedSteps{20},
          ExactProjection{},
          CutSteps{FixedSteps{9}},
          CutSteps{ExactProjection{}},
          SparseSteps{FixedSteps{5}, 1.0 / 3.0},
          GradientSteps{4, 0.05, 0.1, GradientSteps::Loss::Mean, 0},
          GradientSteps{1, 5e-324, 0.0, GradientSteps::Loss::Sum, 7},
          Gradient{},
          NormalProduct{},
          CrossProducts{},
          CrossProducts{true},
          Curvature{},
          ColumnNorms{},
          ColumnSquares{15}};
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) { return test::same_bits(x, y); });
}

TEST(Wire, WorkOfEveryKindIsTheSameAtTheOtherEnd) {
  for (const LocalWork& work : all_work()) {
    const std::vector<double> x = test::any_doubles(16, 3);
    const LocalTask task{RoundIndex{4'000'000'001U}, x, work, true, 2, {}, Reveal::Sums};
    const Task message = test::arrived(task_message("run", 17, task, kAsked));
    const auto arrived = ReceivedTask::from(message, kSelf, x.size());
    ASSERT_TRUE(arrived) << arrived.error().message;
    EXPECT_EQ(arrived->number(), 17U);
    EXPECT_TRUE(same_bits(arrived->task().x, x));
    EXPECT_EQ(arrived->task().reveal, Reveal::Sums);
    const TaskView again = task_message("run", 17, arrived->task(), kAsked);
    EXPECT_EQ(bytes_of(again), bytes_of(message)) << name_of(work);
  }
}

TEST(Wire, ATaskKeepsItsColumnsAndWhatIsForOneClientAlone) {
  const std::vector<double> x{1.0, 2.0};
  const std::vector<std::uint32_t> columns{1, 3};
  const LocalTask task{RoundIndex{0}, x, GradientSteps{2, 0.5}, false, 0, {}, Reveal::Updates, columns};
  TaskView sent = task_message("run", 0, task, kAsked);
  const std::vector<double> own{-0.0, 5e-324};
  sent.own = own;
  const Task message = test::arrived(sent);
  const auto arrived = ReceivedTask::from(message, kSelf, 4);
  ASSERT_TRUE(arrived) << arrived.error().message;
  EXPECT_TRUE(std::ranges::equal(arrived->task().columns, columns));
  ASSERT_EQ(arrived->task().own.size(), kSelf.value + 1U);
  EXPECT_TRUE(same_bits(arrived->task().own[kSelf.value], own));
}

// ---- Differential privacy.

LocalTask private_task(std::span<const double> x, ClippedPass pass) {
  return {RoundIndex{3}, x, pass, false, 0, {}, Reveal::Sums};
}

TEST(Wire, APassUnderDifferentialPrivacyIsTheSameAtTheOtherEnd) {
  const std::vector<double> x{1.0, 2.0};
  const ClippedPass pass{.steps = 70, .clip = 1.0 / 3.0, .noise = 0.1, .exponent = -24};
  const Task message = test::arrived(task_message("run", 4, private_task(x, pass), kAsked));
  const auto arrived = ReceivedTask::from(message, kSelf, 2);
  ASSERT_TRUE(arrived) << arrived.error().message;
  const auto& read = std::get<ClippedPass>(arrived->task().work);
  EXPECT_EQ(read.steps, 70U);
  EXPECT_TRUE(test::same_bits(read.clip, pass.clip) && test::same_bits(read.noise, pass.noise));
  EXPECT_EQ(read.exponent, -24);
}

TEST(Wire, APassIsRefusedWhereItsNumbersMakeNoSenseOrItIsNotPrivate) {
  const std::vector<double> x{1.0, 2.0};
  const std::vector<std::uint32_t> columns{0, 1};
  const auto answer = [&](const LocalTask& task) {
    const auto received = ReceivedTask::from(test::arrived(task_message("run", 4, task, kAsked)), kSelf, 2);
    return received ? "accepted" : received.error().message;
  };
  const ClippedPass fine{.clip = 1.0, .noise = 8.0, .exponent = -17};
  const auto with = [&](auto change) {
    ClippedPass pass = fine;
    change(pass);
    return answer(private_task(x, pass));
  };
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(answer(private_task(x, fine)), "accepted");
  for (const double wrong : {0.0, -1.0, kNotANumber, 1e300}) {
    EXPECT_EQ(with([&](ClippedPass& p) { p.clip = wrong; }), "its steps are clipped at no sensible length");
    EXPECT_EQ(with([&](ClippedPass& p) { p.noise = wrong; }), "its noise has no sensible size");
  }
  for (const std::int32_t wrong : {3, 0, -60, std::numeric_limits<std::int32_t>::min()}) {
    EXPECT_EQ(with([&](ClippedPass& p) { p.exponent = wrong; }), "its grid does not suit its noise");
  }
  EXPECT_EQ(with([](ClippedPass& p) { p.steps = std::uint64_t{1} << 50; }), "it asks for too many steps");

  LocalTask task = private_task(x, fine);
  task.reveal = Reveal::Updates;
  EXPECT_EQ(answer(task), "it asks for a private answer that is not part of a sum");
  task = private_task(x, fine);
  task.report_residual = true;
  EXPECT_EQ(answer(task), "it asks for a residual beside a private answer");
  task = private_task(x, fine);
  task.columns = columns;
  EXPECT_EQ(answer(task), "it asks for a private answer about some of the columns");
}

/// The question with a change, as another program might ask it.
template <class Change>
void ask_otherwise(Task& message, const Change& change) {
  ArrivedQuestion question = *question_of(message);
  change(question);
  ByteWriter out;
  describe_question(question.look(), question.participants, out);
  message.question = bytes_from(out.bytes());
}

void ask_for(Task& message, const LocalWork& work) {
  ask_otherwise(message, [&](ArrivedQuestion& question) { question.task.work = work; });
}

TEST(Wire, RowsDoNotTravel) {
  const LocalTask rows{RoundIndex{0}, {}, AllRows{}};
  EXPECT_THROW(task_message("run", 0, rows, kAsked), InvalidArgument);
  Task message = test::arrived(task_message("run", 0, {RoundIndex{0}, {}, Curvature{}}, kAsked));
  ASSERT_TRUE(ReceivedTask::from(message, kSelf, 3));
  ask_for(message, AllRows{});
  const auto received = ReceivedTask::from(message, kSelf, 3);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().message, "it asks for nothing that this client knows");
}

TEST(Wire, AReplyIsTheSameAtTheOtherEnd) {
  const LocalTask task{RoundIndex{3}, {}, CutSteps{FixedSteps{2}}, true};
  LocalReply reply{kSelf, aligned_copy(test::any_doubles(40, 5)), 0.1, -0.0};
  const ClientMessage sent = update_message("run", 9, task, reply);
  const auto arrived = std::get<Update>(test::message_from<ClientMessage>(bytes_of(sent)));
  const LocalReply back = reply_from(arrived, kSelf, task);
  EXPECT_TRUE(same_bits(back.values, reply.values));
  EXPECT_TRUE(test::same_bits(*back.squared_residual, 0.1) && test::same_bits(*back.gap, -0.0));
  EXPECT_EQ(arrived.number, 9U);
  EXPECT_EQ(arrived.round, 3U);
  EXPECT_FALSE(arrived.part);
}

TEST(Wire, WhatATaskDidNotAskForIsLeftOutOfItsReply) {
  const LocalTask asked{RoundIndex{3}, {}, CutSteps{FixedSteps{2}}, true};
  const Update full = update_message("run", 9, asked, {kSelf, {1.0}, 0.1, 0.2});
  const LocalReply back = reply_from(full, kSelf, {RoundIndex{3}, {}, FixedSteps{2}});
  EXPECT_EQ(back.values, (AlignedVector{1.0}));
  EXPECT_FALSE(back.squared_residual || back.gap);
}

// ---- Tasks that a client refuses.

struct WrongTask {
  const char* message;
  std::function<void(Task&)> spoil;
};

class RefusedTask : public testing::TestWithParam<WrongTask> {};

TEST_P(RefusedTask, SaysWhy) {
  const std::vector<double> x{1.0, 2.0, 3.0};
  Task message = test::arrived(task_message("run", 0, {RoundIndex{0}, x, FixedSteps{5}, true}, kAsked));
  ASSERT_TRUE(ReceivedTask::from(message, kSelf, 3));
  GetParam().spoil(message);
  const auto received = ReceivedTask::from(message, kSelf, 3);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().message, GetParam().message);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

WrongTask wrong_work(const char* reason, const LocalWork& work) {
  return {reason, [work](Task& task) { ask_for(task, work); }};
}

WrongTask wrong_question(const char* reason, const std::function<void(ArrivedQuestion&)>& change) {
  return {reason, [change](Task& task) { ask_otherwise(task, change); }};
}

/// The byte before the columns and the participants, none of the former and three of the latter: what is revealed.
void reveal(Task& task, std::uint8_t what) {
  Bytes& bytes = task.question;
  bytes[bytes.size() - 8 - (8 + 3 * 4) - 1] = what;
}

std::vector<WrongTask> wrong_tasks() {
  const char* const unknown = "it asks for nothing that this client knows";
  return {
      WrongTask{unknown, [](Task& task) { task.question.clear(); }},
      WrongTask{unknown, [](Task& task) { task.question.pop_back(); }},
      WrongTask{unknown, [](Task& task) { task.question.push_back(0); }},
      WrongTask{unknown, [](Task& task) { task.question[4] = 100; }},  // a kind of a later version
      WrongTask{unknown, [](Task& task) { reveal(task, 2); }},
      wrong_work("it asks for too many steps", FixedSteps{~std::uint64_t{0}}),
      wrong_work("it asks for too many steps", CutSteps{FixedSteps{std::uint64_t{1} << 41}}),
      wrong_work("it asks for too many steps", GradientSteps{.count = 2, .batch = std::uint64_t{1} << 40}),
      wrong_work("its threshold makes no sense", SparseSteps{FixedSteps{1}, kNan}),
      wrong_work("its step size is not finite", GradientSteps{.step = kInfinity}),
      wrong_work("it names columns that are not there", ColumnSquares{3}),
      wrong_question("it names columns that are not there", [](ArrivedQuestion& question) { question.columns = {3}; }),
      wrong_question("it names columns that are not there",
                     [](ArrivedQuestion& question) {
                       question.columns = {1, 1};
                     }),
      wrong_question("its x has 3 entries, not 1", [](ArrivedQuestion& question) { question.columns = {1}; }),
      WrongTask{"its x has 0 entries, not 3", [](Task& task) { task.x.clear(); }},
      WrongTask{"its x has 0 entries, not 3",
                [](Task& task) {
                  task.x.clear();
                  ask_for(task, CrossProducts{});  // needs none, but the residual does
                }},
      WrongTask{"it holds a number that is not finite", [](Task& task) { task.x[1] = kNan; }},
      WrongTask{"it holds a number that is not finite",
                [](Task& task) {
                  ask_for(task, GradientSteps{});
                  task.own = {1.0, kInfinity, 1.0};
                }},
      WrongTask{"it holds numbers for this client alone that its work has no use for",
                [](Task& task) {
                  ask_for(task, GradientSteps{});
                  task.own.assign(100, 1.0);
                }},
      WrongTask{"it holds numbers for this client alone that its work has no use for",
                [](Task& task) {
                  task.own = {1.0, 2.0, 3.0};
                }},
      wrong_question("it has more noise columns than x has entries",
                     [](ArrivedQuestion& question) { question.task.noise_columns = 4; }),
      wrong_question("its participants do not ascend",
                     [](ArrivedQuestion& question) { question.participants.push_back(ClientId{1}); }),
      wrong_question("this client is not among its participants",
                     [](ArrivedQuestion& question) { question.participants.clear(); })};
}

INSTANTIATE_TEST_SUITE_P(All, RefusedTask, testing::ValuesIn(wrong_tasks()));

TEST(Wire, AnAnswerThatNoMessageCanHoldIsNotBegun) {
  const Task message = test::arrived(task_message("run", 0, {RoundIndex{0}, {}, CrossProducts{true}}, kAsked));
  const auto received = ReceivedTask::from(message, kSelf, 1 << 17);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().message, "its answer would be too long to be sent");
}

// ---- Plans.

TEST(Wire, APlanIsTheSameAtTheOtherEndButForItsFiles) {
  io::Plan plan;
  plan.data = {"mine.csv"};
  plan.target = "y";
  plan.ignore = {"id", "date"};
  plan.intercept = plan.standardize = true;
  plan.run.seed = 123;
  plan.tolerance = 0.1;
  plan.start = "start.npy";
  io::Plan arrived;
  arrived.data = {"own.csv"};
  const auto entries = plan_message(plan);
  const auto taken = take_plan(entries, arrived);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(arrived.data, (std::vector<std::string>{"own.csv"}));
  EXPECT_EQ(arrived.start, "");
  EXPECT_EQ(arrived.ignore, plan.ignore);
  EXPECT_TRUE(same(plan_message(arrived), entries));
}

TEST(Wire, EntriesThatNameFilesOrAreUnknownAreRefused) {
  for (const char* name : {"data", "matrix", "rhs", "start", "truth", "clients", "partition", "no-such-entry", ""}) {
    io::Plan plan;
    const auto taken = take_plan(std::vector<PlanEntry>{{name, {"/etc/passwd"}}}, plan);
    ASSERT_FALSE(taken) << name;
    EXPECT_EQ(taken.error().message,
              "the server's plan has an entry '" + std::string(name) + "', which this program does not take from it");
  }
  io::Plan plan;
  const auto taken = take_plan(std::vector<PlanEntry>{{"rounds", {"many"}}}, plan);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().message.rfind("the server's plan: rounds: ", 0), 0U) << taken.error().message;
}

TEST(Wire, RefusesAPlansEntryWithoutAValue) {
  for (const io::PlanOption& option : io::plan_options()) {
    const bool list = option.kind == io::OptionKind::Texts || option.kind == io::OptionKind::Paths;
    io::Plan plan;

    const auto taken = take_plan(std::vector<PlanEntry>{{std::string(option.name), {}}}, plan);

    EXPECT_EQ(static_cast<bool>(taken),
              list && option.name != "data" && option.name != "matrix" && option.name != "rhs")
        << option.name;
  }
}

}  // namespace
}  // namespace fedrk::wire
