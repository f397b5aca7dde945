// SPDX-License-Identifier: Apache-2.0

// Runs that are killed, stopped or run out of disk, and go on: fedrk solve --out, resume, status and stop.

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "data/npy.hpp"
#include "linalg/random/rng_stream.hpp"
#include "support/program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;

/// Rounds of about a millisecond or less, half a second of them: the journal is written now and then.
struct Way {
  const char* name;
  const char* command;
  int exit_code = 0;
  double first_kill = 0.12;  // seconds
};
const Way kWays[] = {
    {"PublishedWithRefit",
     "solve p/plan.toml --method fedrk --participants 3 --keep 5 --local-steps 5000 --rounds 200 --refit"},
    {"SoftWithRefit", "solve p/plan.toml --participants 3 --sparse soft:0.05 --local-steps 2000 --rounds 200 --refit"},
    {"Auto", "solve q/A.npy --rhs q/b.npy --clients 6 --participants 3 --local-steps 6000"},
    {"Sums", "solve q/A.npy --rhs q/b.npy --clients 6 --participants 3 --memory 5 --rounds 250", 3},
    {"LeastSquares", "solve p/plan.toml --least-squares"},
    {"FitByProducts", "fit s/A.npy --rhs s/b.npy --clients 6 --participants 2 --method cg"},
    {"FitByOneSum", "fit r/A.npy --rhs r/b.npy --clients 40 --participants 1 --method gram", 0, 0.05}};

class Resumed : public testing::TestWithParam<Way> {
 protected:
  static constexpr const char* kEndless = "--participants 3 --method fedrk --local-steps 2000 --rounds 4000000000";

  Resumed() {
    EXPECT_EQ(program_.run("generate inconsistent --rows 2400 --cols 150 --clients 6 --seed 3 --out p").exit_code, 0);
  }

  // Each column is much like the one before: conjugate gradients take about as many steps as there are columns.
  void write_alike_columns() const {
    RngStream stream = stream_for(7, Purpose::GeneratedMatrix);
    Matrix a(40000, 100);
    std::vector<double> b(a.rows());
    for (std::size_t i = 0; i < a.rows(); ++i) {
      double sum = stream.gaussian();
      for (double& entry : a.row(i)) entry = sum += 0.1 * stream.gaussian();
      b[i] = stream.gaussian();
    }
    std::filesystem::create_directory(program_.path("s"));
    ASSERT_TRUE(io::write_npy(program_.path("s/A.npy"), a, 0, a.rows()));
    ASSERT_TRUE(io::write_npy(program_.path("s/b.npy"), b));
  }

  void make_others() const {
    EXPECT_EQ(program_.run("generate gaussian --rows 1000 --cols 900 --out q").exit_code, 0);
    EXPECT_EQ(program_.run("generate inconsistent --rows 1100 --cols 1000 --out r").exit_code, 0);
    write_alike_columns();
  }

  /// A run that is killed so many seconds after it has its lock, and with that an ear for signals, unless it is done by
  /// then.
  test::Outcome killed(const std::string& arguments, double seconds, const std::string& signal = "KILL") const {
    return program_.shell("'" FEDRK_PROGRAM "' " + arguments +
                          " --progress none --threads 1 & for k in $(seq 500); do test -e run/run.db && test \"$(cat "
                          "run/run.lock)\" = $! && break; sleep 0.02; done; sleep " +
                          std::to_string(seconds) + "; kill -" + signal + " $! 2>/dev/null; wait $!");
  }

  std::string solution(const std::string& folder) const { return program_.folder().read(folder + "/solution.csv"); }

  test::Program program_;
};

INSTANTIATE_TEST_SUITE_P(Ways, Resumed, testing::ValuesIn(kWays), [](const auto& test) { return test.param.name; });

TEST_P(Resumed, EndsWithTheBytesOfAnUndisturbedRun) {
  make_others();
  const std::string solve = std::string(GetParam().command) + " --seed 5";
  const auto undisturbed = program_.run(solve + " --progress none --threads 2 --out whole");
  ASSERT_EQ(undisturbed.exit_code, GetParam().exit_code) << undisturbed.err;
  RngStream stream = stream_for(11, Purpose::Participation);
  std::string command = solve + " --out run";
  for (int kills = 0; kills < 2; ++kills) {
    if (killed(command, GetParam().first_kill * (1.0 + stream.uniform())).exit_code != 128 + 9) break;
    command = "resume run";
  }

  const auto ended = program_.run("resume run --progress none");

  if (ended.exit_code == 2) {  // it was quicker than we were
    EXPECT_NE(ended.err.find("the run in run is finished: there is nothing to resume"), std::string::npos) << ended.err;
  } else {
    EXPECT_EQ(ended.exit_code, GetParam().exit_code) << ended.err;
    EXPECT_NE(ended.err.find("rounds are in run.db, going on from there"), std::string::npos) << ended.err;
  }
  EXPECT_EQ(solution("run"), solution("whole"));
  const json whole = json::parse(program_.folder().read("whole/result.json"));
  json result = json::parse(program_.folder().read("run/result.json"));
  for (const char* key : {"status", "converged", "criterion", "method", "rounds", "relative_residual", "bytes_up",
                          "method_notes", "clients", "options", "warnings"}) {
    EXPECT_EQ(result[key], whole[key]) << key;
  }
  EXPECT_FALSE(std::filesystem::exists(program_.path("run/run.db-wal")));
}

// Rounds of some ten microseconds, whose answers are not stored. Killed once the journal of answers has ended, and a
// few snapshots later.
TEST_F(Resumed, GoesOnFromASnapshotWhereRoundsAreQuickerThanTheDisk) {
  ASSERT_EQ(program_.run("generate gaussian --rows 300 --cols 290 --clients 6 --seed 3 --out g").exit_code, 0);
  const std::string solve =
      "solve g/plan.toml --participants 3 --method fedrk --local-steps 20 --rounds 200000 --tolerance 0 "
      "--progress none --threads 1";
  const auto whole = program_.run(solve + " --out whole");
  const auto killed = program_.shell("'" FEDRK_PROGRAM "' " + solve +
                                     " --out run & for k in $(seq 500); do '" FEDRK_PROGRAM
                                     "' status run --format json 2>/dev/null | grep -q journal_ends && break; sleep "
                                     "0.02; done; sleep 0.4; kill -KILL $!; wait $!");
  ASSERT_EQ(killed.exit_code, 128 + 9) << killed.err;
  const std::uint64_t answers = json::parse(program_.run("status run --format json").out)["answers"];
  EXPECT_GT(answers, 1000U);
  EXPECT_LT(std::filesystem::file_size(program_.path("run/run.db")), 100U * answers + (1U << 20));

  const auto ended = program_.run("resume run --progress none");

  EXPECT_EQ(ended.exit_code, whole.exit_code) << ended.err;
  EXPECT_EQ(ended.err.find("run: 0 rounds"), std::string::npos) << ended.err;
  EXPECT_EQ(solution("run"), solution("whole"));
  const json result = json::parse(program_.folder().read("run/result.json"));
  EXPECT_EQ(result["rounds"], json::parse(program_.folder().read("whole/result.json"))["rounds"]);
}

TEST_F(Resumed, GoesOnAfterItWasStopped) {
  const std::string solve = "solve p/plan.toml --participants 3 --method fedrk --local-steps 6000 --rounds 400";
  ASSERT_EQ(program_.run(solve + " --progress none --out whole").exit_code, 3);  // the rows are noise

  const auto stopped = killed(solve + " --out run", 0.05, "INT");
  ASSERT_EQ(stopped.exit_code, 3) << stopped.err;
  const json result = json::parse(program_.folder().read("run/result.json"));
  EXPECT_EQ(result["status"], "finished:stopped");
  const json status = json::parse(program_.run("status run --format json").out);
  EXPECT_EQ(status["state"], "finished:stopped");
  EXPECT_EQ(status["answers"], result["rounds"]) << "nothing was lost, and the last look is no part of the journal";
  const auto twice = program_.run(solve + " --out run");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.err.find("\"fedrk resume run\" goes on with it"), std::string::npos) << twice.err;

  const auto ended = program_.run("resume run --progress none");

  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ(ended.err.substr(0, ended.err.find('\n')),
            "run: " + status["answers"].dump() + " rounds are in run.db, going on from there");
  EXPECT_EQ(solution("run"), solution("whole"));
  EXPECT_EQ(json::parse(program_.folder().read("run/result.json"))["rounds"], 400);
  EXPECT_EQ(program_.run("resume run").exit_code, 2);
}

TEST_F(Resumed, IsRefusedToAnotherPlanOrOtherData) {
  ASSERT_EQ(killed("solve p/plan.toml --out run " + std::string(kEndless), 0.05, "INT").exit_code, 3);
  const std::string plan = program_.folder().read("run/plan.toml");
  std::string longer = plan;
  longer.replace(longer.find("4000000000"), 10, "3000000000");

  program_.folder().write("run/plan.toml", longer);
  const auto other_plan = program_.run("resume run");
  program_.folder().write("run/plan.toml", "# a comment changes nothing\n" + plan);
  ASSERT_EQ(
      program_.shell("cp p/client-1-b.npy saved && printf '\\001' | dd of=p/client-1-b.npy bs=1 seek=300 conv=notrunc")
          .exit_code,
      0);
  const auto other_data = program_.run("resume run");

  EXPECT_EQ(other_plan.exit_code, 2);
  EXPECT_NE(other_plan.err.find("run/plan.toml is not the plan of this run any more: it says 'rounds = 3000000000' "
                                "where the run began with 'rounds = 4000000000'"),
            std::string::npos)
      << other_plan.err;
  EXPECT_EQ(other_data.exit_code, 2);
  EXPECT_EQ(
      other_data.err,
      "fedrk: the data are not those that the run in run began with: the right-hand side of client-1-A changed\n");
  ASSERT_EQ(program_.shell("mv saved p/client-1-b.npy").exit_code, 0);
  EXPECT_EQ(killed("resume run", 0.05, "INT").exit_code, 3);
}

TEST_F(Resumed, SaysThatItsFileIsDamaged) {
  ASSERT_EQ(killed("solve p/plan.toml --out run " + std::string(kEndless), 0.3, "INT").exit_code, 3);
  const std::string whole = program_.folder().read("run/run.db");
  std::string damaged = whole;
  for (std::size_t at = damaged.size() / 2; at < damaged.size(); at += 512)
    damaged[at] = static_cast<char>(~damaged[at]);

  program_.folder().write("run/run.db", damaged);
  const auto spoilt = program_.run("resume run --progress none");
  program_.folder().write("run/run.db", "name,coefficient\n" + std::string(200, '1'));
  const auto foreign = program_.run("resume run");

  EXPECT_NE(spoilt.exit_code, 0);
  EXPECT_NE(spoilt.err.find("damaged"), std::string::npos) << spoilt.err;
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_EQ(foreign.err, "fedrk: run/run.db is not a file that fedrk keeps a run in\n");
  EXPECT_EQ(program_.run("resume nowhere").err, "fedrk: nowhere holds no run.db: there is nothing to resume\n");
}

// A limit on file sizes fails a write as a full disk does.
TEST_F(Resumed, GoesOnOnceThereIsRoomAgain) {
  const std::string solve = "solve p/plan.toml --participants 3 --method fedrk --local-steps 3000 --rounds 500";
  ASSERT_EQ(program_.run(solve + " --progress none --out whole").exit_code, 3);  // the rows are noise

  const auto full = program_.run(solve + " --progress none --threads 1 --out run", "ulimit -f 600;");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.err.find("run.db"), std::string::npos) << full.err;
  EXPECT_NE(full.err.find("\"fedrk resume\" goes on from there"), std::string::npos) << full.err;

  EXPECT_EQ(program_.run("resume run --progress none").exit_code, 3);
  EXPECT_EQ(solution("run"), solution("whole"));
}

TEST_F(Resumed, IsOneProcessesAtATimeWhichStatusShowsAndStopEnds) {
  const auto ended =
      program_.shell("'" FEDRK_PROGRAM "' solve p/plan.toml --out run --progress none " + std::string(kEndless) +
                     " >first 2>&1 & for k in $(seq 500); do test -e run/run.db && break; sleep 0.02; done; sleep 0.3; "
                     "'" FEDRK_PROGRAM "' resume run; '" FEDRK_PROGRAM
                     "' status run --format json >status; "
                     "'" FEDRK_PROGRAM "' status run >words; '" FEDRK_PROGRAM "' stop run; wait $!");

  EXPECT_EQ(ended.exit_code, 3) << program_.folder().read("first");
  const json status = json::parse(program_.folder().read("status"));
  const std::string process = status["process"].dump();
  EXPECT_EQ(status["alive"], true);
  EXPECT_EQ(status["state"], "running");
  EXPECT_EQ(status["kind"], "solve");
  EXPECT_GT(status["round"], 1);
  EXPECT_EQ(status["participants"].size(), 3);
  EXPECT_EQ(status["clients"].size(), 6);
  EXPECT_EQ(status["events"][0]["event"], "started");
  EXPECT_EQ(program_.folder().read("words").find("run: running, process " + process + "\n"), 0);
  EXPECT_EQ(ended.err, "fedrk: run is in use by process " + process + "\n");
  EXPECT_EQ(ended.out, "run: process " + process + " has ended, the run is finished:stopped\n");
  EXPECT_EQ(json::parse(program_.run("status run --format json").out)["alive"], false);
  EXPECT_EQ(program_.run("stop run").err, "fedrk: nobody works on run: there is nothing to stop\n");
  EXPECT_EQ(program_.run("status p").err, "fedrk: there is no p/run.db\n");
}

TEST(Status, NamesTheCommandThatBeganTheRun) {
  const test::Program program;
  program.folder().write("a.csv", "u,y\n1,2\n4,5\n2,0\n");
  ASSERT_EQ(program.run("fit a.csv --target y --out fitted").exit_code, 0);
  ASSERT_LE(program.run("solve a.csv --target y --least-squares --out solved").exit_code, 3);

  EXPECT_EQ(json::parse(program.run("status fitted --format json").out)["kind"], "fit");
  EXPECT_EQ(json::parse(program.run("status solved --format json").out)["kind"], "solve");
}

}  // namespace
}  // namespace fedrk
