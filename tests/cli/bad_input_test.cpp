// SPDX-License-Identifier: Apache-2.0

// Bad input gets one clear line and exit code 2.

#include <algorithm>

#include <gtest/gtest.h>

#include "support/program.hpp"

namespace fedrk {
namespace {

struct BadInput {
  std::string name;
  std::string arguments;  // after "fedrk solve"
  std::string message;    // after "fedrk: "
  friend void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.name; }
};

class BadInputOf : public testing::TestWithParam<BadInput> {
 protected:
  void SetUp() override {
    const auto& folder = program.folder();
    folder.write("good.csv", "u,v,y\n1,2,3\n4,5,6\n");
    folder.write("ragged.csv", "u,v,y\n1,2,3\n4,5\n");
    folder.write("empty.csv", "");
    folder.write("headless.csv", "1,2,3\n4,5,6\n");
    folder.write("words.csv", "u,v,y\n1,two,3\n");
    folder.write("nan.csv", "u,v,y\n1,nan,3\n");
    folder.write("inf.csv", "u,v,y\n1,2,-inf\n");
    folder.write("huge.csv", "u,v,y\n1,1e999,3\n");
    folder.write("large.csv", "u,v,y\n1,2,3\n4,-1e39,6\n");
    folder.write("twice.csv", "u,v,u,y\n1,2,3,4\n");
    folder.write("other.csv", "u,w,y\n1,2,3\n");
    folder.write("zeros.csv", "u,v,y\n0,0,0\n0,0,0\n");
    folder.write("contradiction.csv", "u,v,y\n1,2,3\n0,0,1\n");
    folder.write("good.svm", "1 1:2\n");
    folder.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n");
    folder.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
    folder.write("sizes.mtx", "%%MatrixMarket matrix array real general\n99999999999 99999999999\n1\n");
    folder.write("range.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n");
    folder.write("object.npy", std::string("\x93NUMPY\x01\x00\x46\x00", 10) +
                                   "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }            \n");
    folder.write("cut.npy", std::string("\x93NUMPY\x01\x00\x46\x00", 10) +
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }           \n12345678");
    folder.write("plan.toml", "data = ['good.csv']\nrounds = 'ten'\n");
  }
  test::Program program;
};

INSTANTIATE_TEST_SUITE_P(
    Solve, BadInputOf,
    testing::Values(
        BadInput{"NoData", "",
                 "no data: give tables (.csv, .svm) with --target COLUMN, or matrices (.mtx, .npy) each with its --rhs "
                 "FILE"},
        BadInput{"MissingFile", "--data none.csv --target y", "none.csv: cannot be read: No such file or directory"},
        BadInput{"RaggedRow", "--data ragged.csv --target y", "ragged.csv:3: expected 3 fields, found 2"},
        BadInput{"EmptyFile", "--data empty.csv --target y", "empty.csv: "},
        BadInput{"NoHeader", "--data headless.csv --target y",
                 "headless.csv:1: expected a header with column names, found numbers"},
        BadInput{"NotANumber", "--data words.csv --target y", "words.csv:2: column 'v': expected a number, found text"},
        BadInput{"NaN", "--data nan.csv --target y", "nan.csv:2: column 'v': expected a finite number, found nan"},
        BadInput{"Infinity", "--data inf.csv --target y",
                 "inf.csv:2: column 'y': expected a finite number, found -inf"},
        BadInput{"Overflow", "--data huge.csv --target y", "huge.csv:2: column 'v': "},
        BadInput{"MissingTarget", "--data good.csv --target z", "good.csv: no column 'z'; the columns are u, v, y"},
        BadInput{"DuplicateColumn", "--data twice.csv --target y", "twice.csv:1: "},
        BadInput{
            "ColumnsDiffer", "--data good.csv --data other.csv --target y",
            "the tables do not fit each other: other.csv lacks 'v'; other.csv has 'w', good.csv has not. Every table"},
        BadInput{"AllZero", "--data zeros.csv --target y",
                 "every entry of the matrix is zero: there is nothing to solve"},
        BadInput{"Contradiction", "--data contradiction.csv --target y",
                 "contradiction.csv:3: every entry is zero but the right-hand side is 1: no x satisfies that; "},
        BadInput{"RhsLength", "--matrix A.mtx --rhs b.mtx", "b.mtx: 3 entries, but A.mtx has 2 rows"},
        BadInput{"ImpossibleSizes", "--matrix sizes.mtx --rhs b.mtx", "sizes.mtx:2: "},
        BadInput{"IndexOutOfRange", "--matrix range.mtx --rhs b.mtx", "range.mtx:3: "},
        BadInput{"ObjectArray", "--matrix object.npy --rhs b.mtx", "object.npy: "},
        BadInput{"TruncatedArray", "--matrix cut.npy --rhs b.mtx", "cut.npy: "},
        BadInput{"TooManyParticipants", "--data good.csv --target y --clients 2 --participants 3",
                 "3 participants a round cannot be drawn from 2 clients"},
        BadInput{"KeepTooMany", "--data good.csv --target y --keep 3",
                 "cannot keep 3 entries: there are only 2 unknowns"},
        BadInput{"ZeroClients", "--data good.csv --target y --clients 0",
                 "--clients: expected a whole number from 1, found '0'"},
        BadInput{"NegativeThreads", "--data good.csv --target y --threads -1",
                 "--threads: expected a whole number from 1, found '-1'"},
        BadInput{"EndlessNoise", "--data good.csv --target y --noise-columns 18446744073709551615",
                 "--noise-columns: at most 1000000000"},
        BadInput{"OwnersOfSparseRows", "--data good.svm --partition by:1",
                 "good.svm: --partition by:COLUMN needs a CSV table"},
        BadInput{"TooManyRounds", "--data good.csv --target y --rounds 4294967296",
                 "--rounds: expected a whole number from 1 to 4294967295, found '4294967296'"},
        BadInput{"NegativeRounds", "--data good.csv --target y --rounds -1",
                 "--rounds: expected a whole number from 1 to 4294967295, found '-1'"},
        BadInput{"Storage", "--data good.csv --target y --storage float16",
                 "--storage: expected 'float64' or 'float32', found 'float16'"},
        BadInput{"BeyondFloats", "--data good.csv --data large.csv --target y --method fedrk --storage float32",
                 "large: row 2 holds a number beyond the range of float32 (3.4e38): use float64"},
        BadInput{"PlanEntry", "plan.toml",
                 "plan.toml:2: rounds: expected a whole number from 1 to 4294967295, found 'ten'"},
        BadInput{"UnwritableOutput", "--data good.csv --target y --out good.csv/run", ""}),
    [](const auto& test) { return test.param.name; });

TEST_P(BadInputOf, GetsOneLineAndExitCodeTwo) {
  const auto ended = program.run("solve " + GetParam().arguments);

  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err.find("fedrk: " + GetParam().message), 0) << ended.err;
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  EXPECT_EQ(ended.out, "");
}

TEST(BadUsage, NamesTheWrongFlagAndThePlaceToLook) {
  const test::Program program;

  const auto flag = program.run("solve --round 5");
  const auto command = program.run("slove");
  const auto nothing = program.run("");

  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_EQ(flag.err, "fedrk: unknown option --round; did you mean --rounds?\nTry \"fedrk solve --help\".\n");
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_EQ(command.err, "fedrk: unknown command slove; did you mean solve?\nTry \"fedrk --help\".\n");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(program.run("solve --format yaml").err.find("fedrk: --format: expected json or text, found 'yaml'\n"), 0);
  EXPECT_EQ(program.run("--help").exit_code, 0);
  EXPECT_EQ(program.run("--version").out.substr(0, 6), "fedrk ");
}

// Long rows are common, extreme ones happen; neither may turn into NaN.
TEST(ExtremeRows, AreSolvedAndSaid) {
  const test::Program program;
  program.folder().write("extreme.csv", "u,v,y\n1e200,1e200,2e200\n1e-200,-1e-200,0\n1,2,3\n");

  const auto ended = program.run("solve --data extreme.csv --target y --tolerance 1e-10 --out run");

  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(program.folder().read("run/solution.csv").substr(0, 19), "name,coefficient\nu,");
  EXPECT_NE(ended.err.find("2 rows were too large or too small"), std::string::npos);
  EXPECT_EQ(program.folder().read("run/result.json").find("nan"), std::string::npos);
}

// Regression: a log that cannot be written ended the run, a result that cannot be written did not show.
TEST(Outputs, ThatCannotBeWrittenLoseNoRun) {
  const test::Program program;
  const std::string plan = FEDRK_SOURCE "/data/prostate.toml";

  const auto no_log = program.shell("'" FEDRK_PROGRAM "' solve " + plan + " --out run 2>/dev/full");
  const auto closed_log = program.shell("'" FEDRK_PROGRAM "' solve " + plan + " --out run --overwrite 2>&-");
  const auto no_result = program.shell("'" FEDRK_PROGRAM "' solve " + plan + " --format json >/dev/full");

  EXPECT_EQ(no_log.exit_code, 0);
  EXPECT_EQ(closed_log.exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(program.path("run/report.html")));
  EXPECT_EQ(no_result.exit_code, 1);
  EXPECT_NE(no_result.err.find("cannot write to standard output: No space left on device"), std::string::npos);
}

TEST(ManyThreads, AreAsManyAsThereIsWorkFor) {
  const test::Program program;

  EXPECT_EQ(program.run("solve " FEDRK_SOURCE "/data/prostate.toml --rounds 5 --threads 100000").exit_code, 0);
}

TEST(FullDisk, IsSaidAndLeavesNoHalfFile) {
  const test::Program program;
  const std::string plan = FEDRK_SOURCE "/data/prostate.toml";

  // A limit on file sizes fails a write as a full disk does. The plan still fits, what a run keeps does not.
  const auto ended = program.run("solve " + plan + " --progress none --out run", "ulimit -f 8;");

  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("run/run.db"), std::string::npos) << ended.err;
  for (const char* name : {"run.db", "run.db.new", "result.json", "history.csv"}) {
    EXPECT_FALSE(std::filesystem::exists(program.path("run") / name)) << name;
  }
}

}  // namespace
}  // namespace fedrk
