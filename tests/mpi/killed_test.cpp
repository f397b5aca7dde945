// SPDX-License-Identifier: Apache-2.0

// A rank that dies takes the job with it, and a new job goes on with the run. FEDRK_KILLS says how often to try
// (`make soak-mpi`: ten times), FEDRK_SEED when to strike.

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "linalg/random/rng_stream.hpp"
#include "support/mpi_program.hpp"

namespace fedrk {
namespace {

using std::chrono::milliseconds;

std::uint64_t number_from(const char* name, std::uint64_t usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

struct Way {
  const char* arguments;
  int exit_code;
};

class Killed : public testing::TestWithParam<Way> {
 protected:
  Killed() {
    EXPECT_EQ(program_.run("generate inconsistent --rows 2400 --cols 150 --clients 6 --seed 3 --out p").exit_code, 0);
    EXPECT_EQ(program_.run("generate gaussian --rows 1000 --cols 900 --clients 6 --out q").exit_code, 0);
  }

  test::Process started(const std::string& arguments) const {
    return {{"sh", "-c", "exec " + test::mpi_command(3, arguments + " --progress none --threads 1")},
            program_.folder().path(),
            streams_.path(),
            "job"};
  }

  /// Waits for all three ranks and then so long, kills one, and tells how long the job took to end.
  milliseconds strike(test::Process& job, RngStream& stream) const {
    test::wait_until(milliseconds(10000), [&] { return test::ranks_of(job.id()).size() == 3; });
    std::this_thread::sleep_for(milliseconds(static_cast<int>(1500.0 * stream.uniform())));
    const auto ranks = test::ranks_of(job.id());
    if (ranks.empty()) return {};  // it was quicker than we were
    ::kill(ranks[static_cast<std::size_t>(stream.uniform() * static_cast<double>(ranks.size()))], SIGKILL);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(job.wait(milliseconds(20000))) << "the job hangs";
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
  }

  test::Program program_;
  test::TempFolder streams_;
};

INSTANTIATE_TEST_SUITE_P(
    Ways, Killed,
    testing::Values(Way{"q/plan.toml --participants 3 --memory 5 --local-steps 40000", 0},
                    Way{"p/plan.toml --method fedrk --participants 3 --local-steps 8000 --rounds 900", 3}));

TEST_P(Killed, EndsTheJobAndTheRunGoesOnToTheSameBits) {
  const std::string solve = std::string("solve --seed 5 ") + GetParam().arguments;
  ASSERT_EQ(program_.run(solve + " --progress none --out whole").exit_code, GetParam().exit_code);
  RngStream stream = stream_for(number_from("FEDRK_SEED", 7), Purpose::Participation);
  std::uint64_t struck = 0;
  for (std::uint64_t trial = 0; trial < number_from("FEDRK_KILLS", 2); ++trial) {
    test::Process job = started(solve + " --overwrite --out run");
    const milliseconds took = strike(job, stream);
    EXPECT_LT(took, milliseconds(10000));
    const int code = job.wait(milliseconds(20000)).value_or(0);
    const bool finished = code == GetParam().exit_code && std::filesystem::exists(program_.path("run/result.json"));
    if (!finished) {
      EXPECT_NE(job.err().find("signal 9"), std::string::npos) << job.err();
    }
    RecordProperty("milliseconds to end " + std::to_string(trial), static_cast<int>(took.count()));

    const auto ended = program_.shell(test::mpi_command(
        2, (std::filesystem::exists(program_.path("run/run.db")) ? std::string("resume run") : solve + " --out run") +
               " --progress none"));

    if (finished) continue;
    // A rank that was struck when the files were written already takes nothing with it.
    const bool was_done = ended.err.find("is finished: there is nothing to resume") != std::string::npos;
    if (!was_done) ++struck;
    EXPECT_TRUE(ended.exit_code == GetParam().exit_code || was_done) << ended.err;
    EXPECT_EQ(program_.folder().read("run/solution.csv"), program_.folder().read("whole/solution.csv")) << trial;
    std::filesystem::remove_all(program_.path("run"));
  }
  EXPECT_GT(struck, 0) << "the runs are too short to be killed";
}

// `fedrk stop` finds rank 0 by the lock of the run; the others follow.
TEST_F(Killed, IsNotNeededToStopARun) {
  test::Process job = started("solve p/plan.toml --method fedrk --local-steps 2000 --rounds 4000000000 --out run");
  ASSERT_TRUE(test::wait_until(milliseconds(10000), [&] {
    return std::filesystem::exists(program_.path("run/run.db")) && !program_.folder().read("run/run.lock").empty();
  }));
  std::this_thread::sleep_for(milliseconds(200));

  const auto told = program_.run("stop run");

  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(job.wait(milliseconds(10000)), 3) << job.err();
  const auto result = nlohmann::json::parse(program_.folder().read("run/result.json"));
  EXPECT_EQ(result["status"], "finished:stopped");
}

}  // namespace
}  // namespace fedrk
