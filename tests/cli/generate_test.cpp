// SPDX-License-Identifier: Apache-2.0

// fedrk generate: every kind in every format can be solved by the plan that comes with it.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;

TEST(Generate, WritesProblemsThatTheirPlanSolves) {
  const test::Program program;
  int number = 0;
  for (const std::string options :
       {"gaussian --rows 120 --cols 30", "gaussian --rows 120 --cols 30 --density 0.3",
        "gaussian --rows 120 --cols 30 --clients 12", "heterogeneous --rows 20 --cols 30 --clients 3"}) {
    for (const std::string format : {"", "--as npy", "--as mtx", "--as csv", "--as svm"}) {
      if (options.find("density") != std::string::npos && format == "--as npy") continue;
      const std::string folder = "p" + std::to_string(number++);
      const auto made = program.run("generate " + options + " " + format + " --out " + folder);
      ASSERT_EQ(made.exit_code, 0) << made.err;

      const auto solved =
          program.run("solve " + folder + "/plan.toml --local-steps inf --tolerance 1e-9 --format json");

      EXPECT_EQ(solved.exit_code, 0) << options << " " << format << "\n" << solved.err;
      EXPECT_LT(json::parse(solved.out)["relative_error"].get<double>(), 1e-7) << options << " " << format;
    }
  }
}

TEST(Generate, MakesTheSameProblemWhateverTheFormat) {
  const test::Program program;
  for (const std::string format : {"npy", "mtx", "csv", "svm"}) {
    ASSERT_EQ(
        program.run("generate gaussian --rows 40 --cols 10 --seed 3 --as " + format + " --out " + format).exit_code, 0);
    ASSERT_EQ(program.run("solve " + format + "/plan.toml --rounds 5 --out run-" + format).exit_code, 0);
  }

  // LIBSVM rows are sparse, and their sums run in another order.
  EXPECT_EQ(program.folder().read("run-npy/solution.csv"), program.folder().read("run-mtx/solution.csv"));
  EXPECT_EQ(program.folder().read("run-npy/solution.csv"), program.folder().read("run-csv/solution.csv"));
}

TEST(Generate, RefusesWhatCannotBeMade) {
  const test::Program program;

  EXPECT_EQ(program.run("generate gaussian --rows 0 --out p").err,
            "fedrk: a problem needs at least one row and one column\n");
  EXPECT_EQ(program.run("generate gaussian --rows 3 --clients 4 --out p").exit_code, 2);
  EXPECT_EQ(program.run("generate sparse --cols 5 --out p").exit_code, 2);
  EXPECT_EQ(program.run("generate gaussian --density 0.1 --as npy --out p").exit_code, 2);
  EXPECT_EQ(program.run("generate triangular --out p").exit_code, 2);
  EXPECT_EQ(program.run("generate gaussian").exit_code, 2);
  EXPECT_EQ(program.run("generate heterogeneous --rows 1000000 --clients 40 --density 0.01 --out p").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(program.path("p")));
}

TEST(Generate, DoesNotReplaceAProblemUnasked) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 4 --cols 2 --out p").exit_code, 0);

  EXPECT_EQ(program.run("generate gaussian --rows 5 --cols 2 --out p").exit_code, 2);
  EXPECT_EQ(program.run("generate gaussian --rows 5 --cols 2 --out p --overwrite").exit_code, 0);
}

}  // namespace
}  // namespace fedrk
