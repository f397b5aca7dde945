// SPDX-License-Identifier: Apache-2.0
#include "plan/federation.hpp"

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::io {
namespace {

class FederationFiles : public testing::Test {
 protected:
  // A plan for tables that are written here first.
  Plan tables(const std::vector<std::string>& contents) const {
    Plan plan;
    plan.target = "y";
    for (std::size_t i = 0; i < contents.size(); ++i) {
      plan.data.push_back(folder.write("site-" + std::to_string(i + 1) + ".csv", contents[i]).string());
    }
    return plan;
  }
  std::string refusal(const Plan& plan) const {
    const auto federation = make_federation(plan);
    return federation ? "" : folder.local(federation.error().message);
  }
  const test::TempFolder folder;
};

using WrittenOut = std::vector<std::vector<double>>;

TEST_F(FederationFiles, MakeOneClientOfEach) {
  const auto federation = make_federation(tables({"u,y,v\n1,2,3\n", "u,y,v\n4,5,6\n7,8,9\n"}));

  ASSERT_TRUE(federation) << federation.error().message;
  ASSERT_EQ(federation->clients.size(), 2);
  EXPECT_EQ(federation->clients[1].summary().name, "site-2");
  EXPECT_EQ(federation->problem.unknowns, (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(test::written_out(federation->clients[1].block().system().rows), (WrittenOut{{4.0, 6.0}, {7.0, 9.0}}));
  EXPECT_EQ(federation->clients[1].block().system().rhs, (std::vector{5.0, 8.0}));
}

TEST_F(FederationFiles, AreSplitByTheValuesOfAColumn) {
  Plan plan = tables({"site,u,y\nnorth,1,1\nsouth,2,2\nnorth,3,3\n"});
  plan.partition = "by:site";

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation) << federation.error().message;
  EXPECT_EQ(federation->clients[0].summary().name, "north");
  EXPECT_EQ(federation->clients[0].summary().rows, 2);
  EXPECT_EQ(federation->problem.unknowns, std::vector<std::string>{"u"});
}

TEST_F(FederationFiles, CarryInterceptScalesAndNoiseInOneStorage) {
  Plan plan = tables({"u,y\n1,1\n3,2\n", "u,y\n5,1\n7,2\n"});
  plan.intercept = plan.standardize = true;
  plan.run.noise_columns = 2;

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation) << federation.error().message;
  EXPECT_EQ(federation->problem.unknowns, (std::vector<std::string>{"(Intercept)", "u"}));
  const auto rows = test::written_out(federation->clients[0].block().system().rows);
  EXPECT_EQ(rows[0].size(), 4);
  EXPECT_EQ(rows[0][0], 1.0);
  EXPECT_DOUBLE_EQ(rows[0][1], -3.0 / std::sqrt(5.0));  // mean 4, squares 9 + 1 + 1 + 9 over 4
  EXPECT_NE(rows[0][2], 0.0);
  // y = 1 + 2 z in standardised units is y = 1 + 2 (u - 4)/sqrt(5)
  const auto coefficients = federation->problem.coefficients(std::vector{1.0, 2.0});
  EXPECT_DOUBLE_EQ(coefficients[0], 1.0 - 8.0 / std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(coefficients[1], 2.0 / std::sqrt(5.0));
}

// The last thing that happens to the rows, so that nothing is rounded twice.
TEST_F(FederationFiles, StoredAsFloatsAreRoundedOnceTheyAreReady) {
  Plan plan = tables({"u,v,y\n1,0.1,1\n3,0.2,2\n", "u,v,y\n5,7.7,1\n7,1e-3,2\n"});
  plan.intercept = plan.standardize = true;
  plan.run.noise_columns = 2;
  const auto doubles = make_federation(plan);

  plan.storage = Storage::Float32;
  const auto floats = make_federation(plan);

  ASSERT_TRUE(doubles && floats);
  for (std::size_t i = 0; i < 2; ++i) {
    const LinearSystem& system = floats->clients[i].block().system();
    auto expected = test::written_out(doubles->clients[i].block().system().rows);
    for (auto& row : expected) {
      for (double& value : row) value = static_cast<float>(value);
    }
    EXPECT_TRUE(std::holds_alternative<Matrix32>(system.rows));
    EXPECT_EQ(test::written_out(system.rows), expected);
    EXPECT_EQ(system.rhs, doubles->clients[i].block().system().rhs);
  }
  EXPECT_EQ(floats->problem.scaling->scale, doubles->problem.scaling->scale);
}

TEST_F(FederationFiles, StoredAsFloatsTellOfWhatWasScaledVanishedOrDoesNotFit) {
  Plan plan = tables({"u,v,y\n1,2,3\n1e-50,2e-50,3e-50\n"});
  plan.storage = Storage::Float32;

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation) << federation.error().message;
  EXPECT_EQ(federation->problem.warnings,
            std::vector<std::string>{"client-1: 1 rows were too small for float32 and were scaled to length about one, "
                                     "with their right-hand sides."});
  plan = tables({"u,v,y\n1,1e-46,3\n2,1,3\n"});
  plan.storage = Storage::Float32;
  EXPECT_EQ(
      make_federation(plan)->problem.warnings,
      std::vector<std::string>{"client-1: 1 entries are too small for float32 and became zero; float64 keeps them."});
  // Columns of such different lengths are brought nearer to each other for auto; FedRK has them as they
  // are.
  plan = tables({"u,v,y\n1,2,3\n1,1e40,3\n"});
  plan.storage = Storage::Float32;
  EXPECT_TRUE(make_federation(plan));
  plan.method.name = MethodName::Fedrk;
  EXPECT_EQ(refusal(plan), "client-1: row 2 holds a number beyond the range of float32 (3.4e38): use float64");
}

TEST_F(FederationFiles, OfSparseRowsMayEndAtDifferentColumns) {
  Plan plan;
  plan.data = {folder.write("a.svm", "1 1:2\n").string(), folder.write("b.svm", "2 3:1\n").string()};

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation) << federation.error().message;
  EXPECT_TRUE(federation->problem.sparse);
  EXPECT_EQ(federation->problem.unknowns, (std::vector<std::string>{"x1", "x2", "x3"}));
  EXPECT_EQ(federation->clients[0].block().cols(), 3);
}

TEST_F(FederationFiles, ThatDoNotFitAreRefusedByName) {
  EXPECT_EQ(refusal(tables({"u,v,y\n1,2,3\n0,0,4\n"})),
            "site-1.csv:3: every entry is zero but the right-hand side is 4: no x satisfies that; add "
            "--intercept or take the row out");
  EXPECT_EQ(refusal(tables({"u,v,y\n0,0,0\n"})), "every entry of the matrix is zero: there is nothing to solve");

  Plan split = tables({"u,y\n1,2\n2,3\n"});
  split.clients = 3;
  EXPECT_EQ(refusal(split), "2 rows cannot be split over 3 clients");

  Plan keep = tables({"u,y\n1,2\n2,3\n"});
  keep.run.sparsity = 2;
  EXPECT_EQ(refusal(keep), "cannot keep 2 entries: there are only 1 unknowns");

  Plan many = tables({"u,y\n1,2\n2,3\n"});
  many.run.participants = 2;
  EXPECT_EQ(refusal(many), "2 participants a round cannot be drawn from 1 clients");

  Plan intercept = tables({"(Intercept),y\n1,2\n2,3\n"});
  intercept.intercept = true;
  EXPECT_EQ(refusal(intercept), "--intercept adds a column '(Intercept)', but the data have one already");
}

TEST_F(FederationFiles, HaveTheirColumnsMatchedByName) {
  Plan plan = tables({"u,y,v\n1,2,3\n", "id;v;u;y\n9;6;4;5\n", "y\tv\tu\n8\t9\t7\n"});
  plan.ignore = {"id"};  // which only one of them has
  plan.intercept = true;

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation) << federation.error().message;
  EXPECT_EQ(federation->problem.unknowns, (std::vector<std::string>{"(Intercept)", "u", "v"}));
  EXPECT_EQ(test::written_out(federation->clients[1].block().system().rows), (WrittenOut{{1.0, 4.0, 6.0}}));
  EXPECT_EQ(test::written_out(federation->clients[2].block().system().rows), (WrittenOut{{1.0, 7.0, 9.0}}));
  EXPECT_EQ(federation->clients[2].block().system().rhs, (std::vector{8.0}));
}

TEST_F(FederationFiles, WithOtherColumnsAreRefusedWithAllThatIsWrong) {
  const std::string end = ". Every table needs the same columns, in any order";
  EXPECT_EQ(
      refusal(tables({"u,v,y\n1,2,3\n", "u,w,y\n1,2,3\n", "u,v\n1,2\n", "v,y,z,x,u\n1,2,3,4,5\n"})),
      "the tables do not fit each other: site-2.csv lacks 'v'; site-2.csv has 'w', site-1.csv has not; site-3.csv "
      "lacks the target 'y'; site-4.csv has 'z' and 'x', site-1.csv has not" +
          end);

  Plan plan = tables({"u,y\n1,2\n", "u,y\n1,2\n"});
  plan.ignore = {"id", "y"};
  EXPECT_EQ(
      refusal(plan),
      "the tables do not fit each other: no file has a column 'id' to ignore; column 'y' is the target, not one to "
      "ignore" +
          end);

  plan = tables({"u,y\n1,2\n"});
  plan.data.push_back(folder.write("b.svm", "2 1:1\n").string());
  EXPECT_EQ(refusal(plan), "the tables do not fit each other: b.svm has no column names, site-1.csv has" + end);
}

TEST_F(FederationFiles, HavePowersOfColumnsAfterAllOthers) {
  Plan plan = tables({"u,v,y\n2,3,1\n", "v,u,y\n5,-1,1\n"});
  plan.powers = {"v:3", "u:2"};
  plan.set_job(Job::Fit);

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation) << federation.error().message;
  EXPECT_EQ(federation->problem.unknowns,
            (std::vector<std::string>{"(Intercept)", "u", "v", "I(v^2)", "I(v^3)", "I(u^2)"}));
  EXPECT_EQ(test::written_out(federation->clients[0].block().system().rows),
            (WrittenOut{{1.0, 2.0, 3.0, 9.0, 27.0, 4.0}}));
  EXPECT_EQ(test::written_out(federation->clients[1].block().system().rows),
            (WrittenOut{{1.0, -1.0, 5.0, 25.0, 125.0, 1.0}}));
  const auto& powers = federation->problem.powers;
  ASSERT_EQ(powers.size(), 3);
  EXPECT_EQ(powers[1].column, 4);  // counted with the intercept
  EXPECT_EQ(powers[1].source, 2);
  EXPECT_EQ(powers[1].exponent, 3);
  EXPECT_EQ(powers[2].source, 1);
}

TEST_F(FederationFiles, HavePowersOfNumberedColumnsToo) {
  Plan plan;
  plan.data = {folder.write("a.svm", "1 1:2\n").string(), folder.write("b.svm", "2 3:3\n").string()};
  plan.powers = {"x3:2"};

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation) << federation.error().message;
  EXPECT_EQ(federation->problem.unknowns, (std::vector<std::string>{"x1", "x2", "x3", "I(x3^2)"}));
  EXPECT_EQ(test::written_out(federation->clients[1].block().system().rows), (WrittenOut{{0.0, 0.0, 3.0, 9.0}}));
}

TEST_F(FederationFiles, WithPowersThatCannotBeAreRefused) {
  Plan plan = tables({"u,I(u^2),y\n1e200,2,3\n", "u,I(u^2),y\n1,2,3\n"});
  const auto with = [&](std::vector<std::string> powers) {
    plan.powers = std::move(powers);
    return refusal(plan);
  };

  EXPECT_EQ(with({"w:2"}), "powers: no column 'w' among the features");
  EXPECT_EQ(with({"y:2"}), "powers: no column 'y' among the features");
  EXPECT_EQ(with({"u:2"}), "powers: the data have a column 'I(u^2)' already");
  EXPECT_EQ(with({"I(u^2):2", "I(u^2):3"}), "powers: column 'I(u^2)' is given twice");
  plan.ignore = {"I(u^2)"};
  EXPECT_EQ(with({"u:2"}), "site-1: row 1: a number to the power of 2 is beyond the range of numbers");
}

TEST_F(FederationFiles, OfAFitStayInTheUnitsOfTheData) {
  Plan plan = tables({"u,y\n10,1\n30,2\n"});
  plan.set_job(Job::Fit);
  plan.standardize = true;

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation) << federation.error().message;
  EXPECT_EQ(test::written_out(federation->clients[0].block().system().rows), (WrittenOut{{1.0, 10.0}, {1.0, 30.0}}));
  EXPECT_FALSE(federation->problem.scaling);
}

TEST_F(FederationFiles, OfMatricesNeedRightHandSidesOfTheirLength) {
  Plan plan;
  plan.matrix = {folder.write("A.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n").string()};
  plan.rhs = {folder.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n").string()};
  EXPECT_EQ(refusal(plan), "b.mtx: 3 entries, but A.mtx has 2 rows");

  plan.rhs = {folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n").string()};
  plan.start = folder.write("x.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n").string();
  EXPECT_EQ(refusal(plan), "x.mtx: 2 entries, but the problem has 1 unknowns");
}

TEST_F(FederationFiles, BeyondTheMemoryAreRefusedBeforeAnythingIsMade) {
  Plan plan;
  plan.data = {folder.write("a.svm", "1 4294967295:1\n").string()};
  EXPECT_NE(refusal(plan).find("4294967295 unknowns: the vectors of a round need"), std::string::npos);

  plan.run.noise_columns = 5;
  EXPECT_EQ(refusal(plan), "4294967300 unknowns: at most 2^32 - 1");

  plan.run.noise_columns = ~std::size_t{0};
  EXPECT_EQ(refusal(plan), "--noise-columns: at most 1000000000");
}

TEST_F(FederationFiles, OfManyRowsAreRefusedInTheGramFormBeyondItsMemory) {
  std::string table = "a,y\n";
  for (int i = 0; i < 400; ++i) table += "1,2\n";
  Plan plan;
  plan.data = {folder.write("large.csv", table).string()};
  plan.target = "y";
  plan.steps = {.form = LocalForm::Gram, .gram_memory = std::size_t{1} << 20};

  EXPECT_EQ(refusal(plan),
            "client-1: --local-form gram needs 2 MB for its 400 rows; allow as much with --local-memory, or leave the "
            "form to auto");
  plan.steps.gram_memory = std::size_t{2} << 20;
  EXPECT_TRUE(make_federation(plan));
}

TEST_F(FederationFiles, GivenTwiceStillMakeClientsWithNamesOfTheirOwn) {
  Plan plan = tables({"u,y\n1,2\n"});
  plan.data.push_back(plan.data.front());

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation);
  EXPECT_NE(federation->clients[0].summary().name, federation->clients[1].summary().name);
}

// Regression: a 0/2 column that is balanced has spread exactly one.
TEST_F(FederationFiles, AreNotCalledConstantForASpreadOfOne) {
  Plan plan = tables({"g,y\n0,1\n2,7\n0,1\n2,7\n"});
  plan.intercept = plan.standardize = true;

  const auto federation = make_federation(plan);

  ASSERT_TRUE(federation);
  EXPECT_TRUE(federation->problem.warnings.empty());
}

TEST_F(FederationFiles, ThatAskForTooMuchAreRefusedWithClientAndRow) {
  EXPECT_EQ(refusal(tables({"u,y\n1,2\n", "u,y\n1,1\n1,1e200\n"})).find("site-2: row 2 asks for an x beyond"), 0);
}

TEST_F(FederationFiles, ComeWithWarningsAboutWhatSlowsARunDown) {
  Plan plan = tables({"u,c,y\n1,5,1\n2,5,2\n1000,5,3\n"});
  plan.method.name = MethodName::Fedrk;  // draws by norm
  const auto dominated = make_federation(plan);
  plan.intercept = plan.standardize = true;
  const auto constant = make_federation(plan);
  const auto extreme = make_federation(tables({"u,v,y\n1e200,1e200,1\n1,2,3\n"}));

  ASSERT_TRUE(dominated && constant && extreme);
  EXPECT_NE(dominated->problem.warnings.at(0).find("row 3 holds more than half"), std::string::npos);
  EXPECT_NE(constant->problem.warnings.at(0).find("Column 'c' is constant"), std::string::npos);
  EXPECT_NE(extreme->problem.warnings.at(0).find("1 rows were too large or too small"), std::string::npos);
}

}  // namespace
}  // namespace fedrk::io
