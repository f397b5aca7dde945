// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;
const std::string kProstate = FEDRK_SOURCE "/data/prostate.toml";

TEST(Inspect, TellsShapeRankAndRates) {
  const test::Program program;

  const auto text = program.run("inspect " + kProstate);
  const auto document = json::parse(program.run("inspect " + kProstate + " --format json").out);

  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("97 rows, 9 unknowns, 7 clients; dense"), std::string::npos);
  EXPECT_NE(text.out.find("inconsistent"), std::string::npos);
  EXPECT_EQ(document["spectrum"]["rank"], 9);
  EXPECT_EQ(document["spectrum"]["consistent"], false);
  EXPECT_EQ(document["clients"].size(), 7);
  double weight = 0.0;
  for (const auto& client : document["clients"]) weight += client["weight"].get<double>();
  EXPECT_NEAR(weight, 1.0, 1e-12);
}

TEST(Inspect, SeesAConsistentSystem) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 60 --cols 20 --density 0.4 --out p").exit_code, 0);

  const auto document = json::parse(program.run("inspect p/plan.toml --format json").out);

  EXPECT_EQ(document["spectrum"]["consistent"], true);
  EXPECT_EQ(document["sparse"], true);
}

TEST(Inspect, SaysWhatAnUpdateGivesAway) {
  const test::Program program;

  EXPECT_NE(program.run("inspect " + kProstate + " --local-steps 1").out.find("multiple of one row"),
            std::string::npos);
  EXPECT_NE(program.run("inspect " + kProstate).out.find("can rebuild records"), std::string::npos);
}

TEST(Inspect, SaysWhoLearnsWhat) {
  const test::Program program;
  const auto of = [&](const std::string& flags) {
    return json::parse(program.run("inspect " + kProstate + " --keep all --format json " + flags).out);
  };

  const auto sums = of("--method auto"), pairs = of("--method auto --participants 2"), updates = of("");

  EXPECT_NE(sums["revealed"].get<std::string>().find("Over a network the parts are masked"), std::string::npos);
  EXPECT_NE(sums["revealed_to_clients"].get<std::string>().find("sums over the participants"), std::string::npos);
  EXPECT_NE(pairs["revealed_to_clients"].get<std::string>().find("let three or more take part"), std::string::npos);
  EXPECT_NE(updates["revealed_to_clients"].get<std::string>().find("participants' updates"), std::string::npos);
  EXPECT_FALSE(updates.contains("attack"));
}

TEST(Inspect, SaysHowAFitIsMadeAndWhatItShows) {
  const test::Program program;
  const auto of = [&](const std::string& flags) {
    const auto ended = program.run("inspect --goal fit --data '" FEDRK_SOURCE
                                   "/data/prostate.csv' --target lpsa --clients 7 --format json " +
                                   flags);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const json told = json::parse(ended.out);
    return told["method"].get<std::string>() + "\n" + told["revealed"].get<std::string>() + "\n" +
           told["revealed_to_clients"].get<std::string>();
  };

  const std::string gram = of(""), products = of("--method cg --participants 3 --ridge 2"),
                    pairs = of("--participants 2");

  // Nine unknowns: (9 + 1)(9 + 2)/2 numbers of a client.
  EXPECT_NE(gram.find("Least squares by one Gram sum"), std::string::npos) << gram;
  EXPECT_NE(gram.find("55 numbers;"), std::string::npos) << gram;
  EXPECT_NE(gram.find("one sum of cross-products over all clients"), std::string::npos) << gram;
  EXPECT_NE(gram.find("masked"), std::string::npos) << gram;
  EXPECT_NE(products.find("Ridge regression, lambda = 2 by conjugate gradients"), std::string::npos) << products;
  EXPECT_NE(products.find("9 numbers, in 2 rounds"), std::string::npos) << products;
  EXPECT_NE(products.find("each of the 2 groups that are kept"), std::string::npos) << products;
  EXPECT_EQ(products.find("let three or more"), std::string::npos) << products;
  EXPECT_NE(pairs.find("let three or more take part"), std::string::npos) << pairs;
  for (const std::string& message : {gram, products, pairs}) {
    EXPECT_EQ(message.find("slack"), std::string::npos);
    EXPECT_EQ(message.find("hyperplane"), std::string::npos) << message;
  }
}

TEST(Inspect, SendsEquationsThatContradictEachOtherToFit) {
  const test::Program program;

  const auto document =
      json::parse(program.run("inspect " + kProstate + " --method auto --keep all --format json").out);

  EXPECT_NE(document["method"].get<std::string>().find("use fedrk fit for data, or --least-squares"), std::string::npos)
      << document["method"];
}

TEST(Inspect, RebuildsEveryRecordFromSingleSteps) {
  const test::Program program;

  const auto text = program.run("inspect " + kProstate + " --local-steps 1 --attack");

  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("with known draws"), std::string::npos);
  EXPECT_NE(text.out.find("From 6000 updates a curious server rebuilds 97 of 97 records"), std::string::npos);
  EXPECT_NE(text.out.find("standardised"), std::string::npos);
}

TEST(Inspect, SaysWhereAnAttackWouldTakeTooLong) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 300 --cols 250 --out p").exit_code, 0);

  const auto text = program.run("inspect p/plan.toml --attack");
  const auto many = json::parse(program.run("inspect " + kProstate + " --rounds 9000000 --attack --format json").out);

  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("not tried at this size: 250 unknowns"), std::string::npos);
  EXPECT_EQ(many["attack"]["tried"], false);
}

TEST(Inspect, RefusesBadInput) {
  const test::Program program;

  EXPECT_EQ(program.run("inspect").exit_code, 2);
  EXPECT_EQ(program.run("inspect --data missing.csv --target y").exit_code, 2);
}

TEST(Report, IsMadeAnewFromTheFilesOfARun) {
  const test::Program program;
  ASSERT_EQ(program.run("solve " + kProstate + " --rounds 50 --out run").exit_code, 0);
  const std::string first = program.folder().read("run/report.html");
  std::filesystem::remove(program.path("run/report.html"));

  const auto again = program.run("report run");
  const auto elsewhere = program.run("report run --out page.html");

  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, "run/report.html\n");
  EXPECT_EQ(program.folder().read("run/report.html"), first);
  EXPECT_EQ(elsewhere.out, "page.html\n");
  EXPECT_EQ(program.folder().read("page.html"), first);
  EXPECT_EQ(first.find("http://"), std::string::npos);
  EXPECT_EQ(first.find("https://"), std::string::npos);
}

TEST(Report, RefusesAFolderWithoutARun) {
  const test::Program program;

  const auto refused = program.run("report nowhere");

  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "fedrk: nowhere: no result.json here; give the folder of a run\n");
}

}  // namespace
}  // namespace fedrk
