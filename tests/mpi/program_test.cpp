// SPDX-License-Identifier: Apache-2.0

// fedrk_mpi as a user runs it: the same files in, the same answer out, to the bit, as fedrk in one process.

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/mpi_program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;

class MpiProgram : public testing::Test {
 protected:
  test::Outcome run(std::size_t ranks, const std::string& arguments) const {
    return program_.shell(test::mpi_command(ranks, arguments));
  }

  /// All that a result tells but how long it took, and the rounds of its history.
  json result(const std::string& folder) const {
    json document = json::parse(program_.folder().read(folder + "/result.json"));
    document.erase("seconds");
    document.erase("title");
    return document;
  }
  std::string history(const std::string& folder) const {
    return program_.shell("cut -d, -f1-4 " + folder + "/history.csv").out;
  }

  test::Program program_;
};

// ---- The bits of one process.

struct Way {
  const char* name;
  const char* options;
  std::vector<std::size_t> ranks;
  int exit_code = 0;
  const char* command = "solve ";

  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

const std::string kProstate = FEDRK_SOURCE "/data/prostate.toml";

class MpiWays : public MpiProgram, public testing::WithParamInterface<Way> {
 protected:
  MpiWays() {
    for (const char* line :
         {"generate inconsistent --rows 600 --cols 40 --clients 6 --seed 3 --out noisy",
          "generate gaussian --rows 300 --cols 100 --clients 5 --seed 4 --out exact",
          "generate gaussian --rows 300 --cols 100 --clients 1 --seed 4 --out shared",
          "generate gaussian --rows 300 --cols 80 --density 0.1 --clients 4 --seed 5 --out sparse"}) {
      const auto made = program_.run(line);
      EXPECT_EQ(made.exit_code, 0) << line << made.err;
    }
    program_.folder().write("one.svm", "1 1:2 3:1\n-1 2:1\n2 1:1 2:3\n");
    program_.folder().write("two.svm", "3 1:1 5:2\n0.5 2:2\n");
    program_.folder().write("three.svm", "1 4:1\n-2 1:1 7:3\n");
    program_.folder().write("first.csv", "u,v,y\n1,2,3\n4,5,7\n2,0,1\n");
    program_.folder().write("second.csv", "y,id,v,u\n1,7,2,3\n2,8,0,1\n");
    program_.folder().write("third.csv", "v,u,y\n3,3,5\n1,0,2\n");
    std::string table = "u,v,w,site,y\n";
    for (int i = 0; i < 60; ++i) {
      table += std::to_string(i % 7) + "," + std::to_string((i * i) % 11) + "," + std::to_string(0.1 * i) + "," +
               (i % 5 == 0   ? "north"
                : i % 3 == 0 ? "south"
                             : "west") +
               "," + std::to_string((i * 13) % 17) + "\n";
    }
    program_.folder().write("table.csv", table);
  }
};

INSTANTIATE_TEST_SUITE_P(
    Plans, MpiWays,
    testing::Values(
        Way{"CsvSplitStandardised", "@prostate --rounds 200", {2, 5}},
        Way{"CsvShuffled", "@prostate --rounds 50 --partition shuffled --refit", {3}},
        Way{"CsvByLabel",
            "--data table.csv --target y --partition by:site --standardize --intercept --rounds 40",
            {3},
            3},
        Way{"CsvsOfOtherOrder",
            "first.csv second.csv third.csv --target y --ignore id --powers u:2 --intercept --rounds 40",
            {2, 3},
            3},
        Way{"Auto", "noisy/plan.toml --participants 3 --rounds 80", {1, 3}, 3},
        Way{"LeastSquares", "noisy/plan.toml --least-squares", {2, 3}},
        Way{"Fedrk", "exact/plan.toml --method fedrk --participants 2 --rounds 60", {2, 5}, 3},
        Way{"Sums", "exact/plan.toml --memory 5 --reveal sums --participants 3 --rounds 60", {3}},
        Way{"NoiseColumns", "noisy/plan.toml --method fedrk --noise-columns 20 --rounds 40", {2}, 3},
        Way{"FitByOneSum", "--data table.csv --target y --partition by:site", {2, 3}, 0, "fit "},
        Way{"FitByOneSumInGroups",
            "shared/A.npy --rhs shared/b.npy --clients 6 --participants 2 --ridge 3",
            {2, 5},
            0,
            "fit "},
        Way{"FitByProducts",
            "shared/A.npy --rhs shared/b.npy --clients 6 --participants 2 --method cg",
            {1, 3},
            0,
            "fit "},
        Way{"FitOfCsvsOfOtherOrder",
            "first.csv second.csv third.csv --target y --ignore id --powers u:2",
            {2},
            0,
            "fit "},
        Way{"SharedNpy", "--matrix shared/A.npy --rhs shared/b.npy --clients 7 --participants 3 --rounds 60", {3}},
        Way{"SharedNpyWithIntercept",
            "--matrix shared/A.npy --rhs shared/b.npy --clients 7 --intercept --standardize --rounds 30",
            {2}},
        Way{"SharedNpyAsFloats",
            "--matrix shared/A.npy --rhs shared/b.npy --clients 4 --storage float32 --rounds 30",
            {2}},
        Way{"SparseMatrixMarket", "sparse/plan.toml --participants 2 --rounds 60", {3}},
        Way{"SparseLibsvm",
            "--data one.svm --data two.svm --data three.svm --standardize --least-squares --rounds 30",
            {2, 3}}),
    [](const auto& test) { return test.param.name; });

TEST_P(MpiWays, GiveTheBitsOfOneProcess) {
  std::string options = GetParam().options;
  if (options.starts_with("@prostate")) options.replace(0, 9, kProstate);
  options = GetParam().command + options;
  const auto alone = program_.run(options + " --progress none --out alone");
  ASSERT_EQ(alone.exit_code, GetParam().exit_code) << alone.err;
  for (const std::size_t ranks : GetParam().ranks) {
    const std::string folder = "on-" + std::to_string(ranks);

    const auto ended = run(ranks, options + " --progress none --out " + folder);

    ASSERT_EQ(ended.exit_code, GetParam().exit_code) << ended.err;
    EXPECT_EQ(program_.folder().read(folder + "/solution.csv"), program_.folder().read("alone/solution.csv"));
    EXPECT_EQ(result(folder), result("alone"));
    EXPECT_EQ(history(folder), history("alone"));
    EXPECT_TRUE(std::filesystem::exists(program_.path(folder) / "report.html"));
  }
}

// ---- One speaks for all.

TEST_F(MpiProgram, PrintsOnce) {
  const auto json_text = run(3, "solve " + kProstate + " --rounds 20 --format json");
  const auto lines = run(2, "solve " + kProstate + " --rounds 20 --progress lines --out run");

  EXPECT_EQ(json_text.exit_code, 0) << json_text.err;
  EXPECT_EQ(json::parse(json_text.out)["rounds"], 22);  // two groups of clients are asked for the refit
  EXPECT_EQ(lines.err.find("[ROUND 20/40]"), lines.err.rfind("[ROUND 20/40]")) << lines.err;
  EXPECT_NE(lines.err.find("run: the run is kept here. Should the job fail: mpirun -n 2 fedrk_mpi resume run"),
            std::string::npos)
      << lines.err;
}

TEST_F(MpiProgram, EndsWithTheExitCodeOfTheRun) {
  EXPECT_EQ(
      run(2, "solve " + kProstate + " --rounds 5 --method fedrk --keep all --tolerance 1e-9 --progress none").exit_code,
      3);
}

// ---- What is wrong is said once, with the exit code of bad input, and nobody is left waiting.

TEST_F(MpiProgram, SaysWhatIsWrongWithAFileOfAnyRank) {
  for (const char* name : {"a", "b", "c"}) program_.folder().write(std::string(name) + ".csv", "u,y\n1,2\n3,4\n");
  program_.folder().write("short.csv", "u,y\n1,2\n3\n");
  program_.folder().write("other.csv", "v,y\n1,2\n3,4\n");
  program_.folder().write("plan.toml", "data = [\"a.csv\"]\ntarget = \"y\"\nrounds = \"many\"\n");
  const std::string good = "solve --target y --data a.csv --data b.csv ";
  for (const std::string& bad :
       {good + "--data short.csv", good + "--data other.csv", good + "--data missing.csv",
        std::string("solve plan.toml"), good + "--participants 9", std::string("resume nowhere")}) {
    const auto alone = program_.run(bad);
    const std::string message = alone.err.substr(0, alone.err.find('\n'));

    const auto ended = run(bad.find("--participants") == std::string::npos ? 3 : 2, bad);

    EXPECT_EQ(alone.exit_code, 2) << alone.err;
    EXPECT_EQ(ended.exit_code, 2) << bad << ended.err;
    EXPECT_EQ(ended.err.substr(0, ended.err.find('\n')), message) << bad;
    EXPECT_EQ(ended.err.find(message), ended.err.rfind(message)) << "once";
  }
}

TEST_F(MpiProgram, SaysHowManyRanksThereCanBe) {
  const auto ended = run(5, "solve " + kProstate + " --clients 3");

  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("fedrk: 5 ranks for 3 clients: each needs one of its own, so start at most 3"),
            std::string::npos)
      << ended.err;
}

TEST_F(MpiProgram, NoticesALauncherOfAnotherMpi) {
  const auto ended = program_.shell("env OMPI_COMM_WORLD_SIZE=4 '" FEDRK_MPI_PROGRAM "' solve " + kProstate);

  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("the launcher started 4 processes, but each is alone"), std::string::npos) << ended.err;
}

// ---- Memory: the rows of a rank's own clients, and no others.

class MpiMemory : public MpiProgram {
 protected:
  std::vector<double> peaks(const std::string& arguments) const {
    const auto ended = program_.shell(
        test::mpi_command(2, arguments + " --threads 1 --progress none", "'" FEDRK_PEAK_MEMORY "' peak"));
    EXPECT_EQ(ended.exit_code, 3) << ended.err;  // two rounds solve nothing
    return {std::stod(program_.folder().read("peak.0")) * 1024.0, std::stod(program_.folder().read("peak.1")) * 1024.0};
  }
};

// 4 clients of 20 MB; the other two would show. The shared file is large enough to be used in place.
TEST_F(MpiMemory, HoldsTheRowsOfTheOwnClientsOnly) {
  for (const char* line : {"generate gaussian --rows 8 --cols 4 --clients 4 --out tiny",
                           "generate gaussian --rows 9600 --cols 1000 --clients 4 --out large",
                           "generate gaussian --rows 19200 --cols 1000 --clients 1 --out shared"}) {
    ASSERT_EQ(program_.run(line).exit_code, 0);
  }
  const std::string steps = " --method fedrk --local-steps 5 --local-form direct --rounds 2";
  const auto idle = peaks("solve tiny/plan.toml" + steps);

  const auto own = peaks("solve large/plan.toml" + steps);
  const auto part = peaks("solve --matrix shared/A.npy --rhs shared/b.npy --clients 4" + steps);

  for (const std::size_t rank : {0U, 1U}) {
    EXPECT_LT(own[rank] - idle[rank], 1.1 * 4800 * 1000 * 8) << rank;
    EXPECT_LT(part[rank] - idle[rank], 1.1 * 9600 * 1000 * 8) << rank;
  }
}

}  // namespace
}  // namespace fedrk
