// SPDX-License-Identifier: Apache-2.0

// result.json obeys docs/schema/result.json, whatever became of the run.

#include <fstream>

#include <gtest/gtest.h>

#include "support/json_schema.hpp"
#include "support/program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;

json schema() {
  std::ifstream file(FEDRK_SOURCE "/docs/schema/result.json");
  return json::parse(file);
}

struct Run {
  std::string name;
  std::string arguments;
  int exit_code;
  std::string converged;  // as JSON
};

class ResultOf : public testing::TestWithParam<Run> {};

const std::string kProstate = "'" FEDRK_SOURCE "/data/prostate.csv' --target lpsa --clients 7 ";

INSTANTIATE_TEST_SUITE_P(
    Commands, ResultOf,
    testing::Values(Run{"FitByGram", "fit " + kProstate + "--method gram", 0, "true"},
                    Run{"FitByConjugateGradients", "fit " + kProstate + "--method cg --standardize --ridge 1", 0,
                        "true"},
                    Run{"FitOfDependentColumns", "fit twice.csv --target y --clients 2", 0, "true"},
                    Run{"Solve", "solve exact.csv --target y", 0, "true"},
                    Run{"Fedrk", "solve exact.csv --target y --method fedrk --local-steps 1 --rounds 1", 3, "false"},
                    Run{"Contradictory", "solve " + kProstate, 3, "false"},
                    Run{"LeastSquares", "solve " + kProstate + "--least-squares --intercept", 0, "true"},
                    Run{"Selection", "solve '" FEDRK_SOURCE "/data/prostate.toml' --rounds 50", 0, "true"},
                    Run{"LastSeed", "solve exact.csv --target y --seed 18446744073709551615", 0, "true"}),
    [](const auto& test) { return test.param.name; });

TEST_P(ResultOf, ObeysTheSchema) {
  const test::Program program;
  program.folder().write("exact.csv", "a,b,y\n1,0,2\n0,1,3\n1,1,5\n");
  program.folder().write("twice.csv", "a,b,y\n1,2,2\n2,4,3\n3,6,5\n5,10,6\n6,12,9\n");

  const auto ended = program.run(GetParam().arguments + " --out run --format json --progress none");

  EXPECT_EQ(ended.exit_code, GetParam().exit_code) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(test::schema_violation(result, schema()), "");
  EXPECT_EQ(result["converged"].dump(), GetParam().converged) << ended.err;
  EXPECT_EQ(program.folder().read("run/result.json"), ended.out);
}

TEST(ResultSchema, IsBrokenByWhatItDoesNotSay) {
  const test::Program program;
  program.folder().write("exact.csv", "a,b,y\n1,0,2\n0,1,3\n1,1,5\n");
  const json result = json::parse(program.run("solve exact.csv --target y --format json").out);
  const auto violation = [&](auto change) {
    json changed = result;
    change(changed);
    return test::schema_violation(changed, schema());
  };

  EXPECT_EQ(violation([](json&) {}), "");
  EXPECT_EQ(violation([](json& r) { r.erase("status"); }), "$: no \"status\"");
  EXPECT_EQ(violation([](json& r) { r["more"] = 1; }), "$: 'more' is not in the schema");
  EXPECT_EQ(violation([](json& r) { r["rounds"] = "5"; }), "$.rounds: \"5\" is no [\"integer\"]");
  EXPECT_NE(violation([](json& r) { r["coefficients"][1]["name"] = nullptr; }).find("$.coefficients[1].name"),
            std::string::npos);
  EXPECT_NE(violation([](json& r) { r["schema_version"] = 2; }).find("$.schema_version: 2 is none of"),
            std::string::npos);
}

}  // namespace
}  // namespace fedrk
