// SPDX-License-Identifier: Apache-2.0
#include "fedrk/server.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fedrk/client.hpp"
#include "support/temp_folder.hpp"

namespace fedrk {
namespace {

/// Clients as threads, each with what it was told at the end.
class EmbeddedFit : public testing::Test {
 protected:
  void SetUp() override {
    folder.write("a.csv", "u,v,y\n0,0,1\n1,1,2.5\n2,5,0\n");
    folder.write("b.csv", "y,v,u\n5,0,2\n-1,4,1\n9,0,4\n");
    folder.write("c.csv", "u,v,y\n3,1,6.5\n1,2,1\n0,2,-1\n");
    folder.write("other.csv", "u,w,y\n3,1,6\n1,2,1\n");
  }
  ~EmbeddedFit() override {
    for (std::thread& thread : threads) thread.join();
  }
  void start(const FitServer& server, const std::vector<std::string>& names, const JoinSettings& settings) {
    told.resize(names.size());
    errors.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      threads.emplace_back([this, i, settings, name = names[i], port = server.port()] {
        try {
          told[i] = join("127.0.0.1:" + std::to_string(port), name, folder.path() / (name + ".csv"), settings);
        } catch (const InvalidData& error) {
          errors[i] = error.what();
        }
      });
    }
  }
  void wait() {
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }

  test::TempFolder folder;
  std::vector<std::thread> threads;
  std::vector<std::vector<Coefficient>> told;
  std::vector<std::string> errors;
};

std::vector<double> values_of(const std::vector<Coefficient>& coefficients) {
  std::vector<double> values;
  for (const Coefficient& coefficient : coefficients) values.push_back(coefficient.value);
  return values;
}

TEST_F(EmbeddedFit, HasTheBitsOfAFitInOneProcess) {
  const Fit alone = fit({read_csv(folder.path() / "a.csv"), read_csv(folder.path() / "b.csv")}, "y ~ .");
  FitServer server("y ~ .", {"a", "b"}, {.masked = false});
  start(server, {"a", "b"}, {.masked = false});

  const Fit made = server.run();
  wait();

  EXPECT_TRUE(made.converged);
  EXPECT_EQ(values_of(made.coefficients), values_of(alone.coefficients));
  EXPECT_EQ(made.coefficients[1].name, "u");
  EXPECT_EQ(values_of(told[0]), values_of(made.coefficients)) << errors[0];
  EXPECT_EQ(values_of(told[1]), values_of(made.coefficients)) << errors[1];
}

TEST_F(EmbeddedFit, MasksSumsOfThreeByDefault) {
  const Fit alone =
      fit({read_csv(folder.path() / "a.csv"), read_csv(folder.path() / "b.csv"), read_csv(folder.path() / "c.csv")},
          "y ~ . - v");
  FitServer server("y ~ . - v", {"a", "b", "c"});
  start(server, {"a", "b", "c"}, {.min_rows = 0, .max_share = 10.0});

  const Fit made = server.run();
  wait();

  ASSERT_EQ(made.coefficients.size(), 2U);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(made.coefficients[j].value, alone.coefficients[j].value, 1e-9);
    EXPECT_EQ(told[2][j].value, made.coefficients[j].value);
  }
}

TEST_F(EmbeddedFit, KeepsTheRulesOfItsOwnersOverRuns) {
  const auto refused = [&](const JoinSettings& settings) {
    FitServer server("y ~ . - v", {"a", "b", "c"}, {.join_limit = std::chrono::seconds(5)});
    start(server, {"a", "b", "c"}, settings);
    EXPECT_THROW((void)server.run(), InvalidData);
    wait();
    return errors[0];
  };
  EXPECT_NE(refused({}).find("fewer than 10 rows (min-rows)"), std::string::npos) << errors[0];
}

TEST_F(EmbeddedFit, RefusesWhatWouldShowAClientsPart) {
  EXPECT_THROW(FitServer("y ~ .", {"a", "b"}), InvalidArgument);

  FitServer server("y ~ .", {"a", "b"}, {.masked = false, .join_limit = std::chrono::seconds(1)});
  start(server, {"a", "b"}, {});  // these want masks
  EXPECT_THROW((void)server.run(), InvalidData);
  wait();

  EXPECT_NE(errors[0].find("single updates"), std::string::npos) << errors[0];
}

TEST_F(EmbeddedFit, ToldOfTablesThatDoNotFit) {
  FitServer server("y ~ .", {"a", "other"}, {.masked = false});
  start(server, {"a", "other"}, {.masked = false});

  try {
    (void)server.run();
    ADD_FAILURE();
  } catch (const InvalidData& error) {
    EXPECT_NE(std::string(error.what()).find("'w'"), std::string::npos) << error.what();
  }
  wait();
  EXPECT_FALSE(errors[0].empty());
}

TEST_F(EmbeddedFit, RefusesFormulasThatItsClientsCannotBeTold) {
  EXPECT_THROW(FitServer("y ~ u", {"a", "b"}, {.masked = false}), InvalidArgument);
  EXPECT_THROW(FitServer("y ~ log(u)", {"a", "b"}, {.masked = false}), InvalidArgument);
}

}  // namespace
}  // namespace fedrk
