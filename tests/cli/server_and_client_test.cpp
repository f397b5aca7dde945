// SPDX-License-Identifier: Apache-2.0

// fedrk server and fedrk client before they meet.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "support/program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;

class ServerFolder : public testing::Test {
 protected:
  /// A server whose clients do not come, and what it says.
  std::string serve(const std::string& plan, int exit_code, const std::string& more = "") const {
    program_.folder().write("plan.toml", plan);
    const auto ended = program_.run(
        "server --plan plan.toml --clients a --clients b --clients c --listen 127.0.0.1:0 --insecure --out run "
        "--heartbeat 0.05 --join-limit "
        "0.01 " +
        more);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
    return ended.err;
  }
  std::string id() const { return json::parse(program_.run("status run --format json").out)["id"].get<std::string>(); }

  test::Program program_;
};

TEST_F(ServerFolder, TakesAnotherPlanBeforeTheFirstRound) {
  EXPECT_NE(serve("rounds = 7\n", 1).find("missing: a, b, c"), std::string::npos);
  const std::string first = id();
  serve("rounds = 7\n", 1);
  EXPECT_EQ(id(), first) << "the same plan: the same run";

  EXPECT_NE(serve("rounds = 8\n", 1).find("the plan changed before the first round"), std::string::npos);

  EXPECT_NE(id(), first) << "clients hold the server to one plan a run";
  EXPECT_NE(program_.folder().read("run/plan.toml").find("rounds = 8\n"), std::string::npos);
}

TEST_F(ServerFolder, HoldsAPlanWithoutItsFilesAndSaysSo) {
  const std::string said = serve("data = ['all.csv']\nclients = 3\nrounds = 7\n", 1);

  EXPECT_NE(
      said.find("fedrk: warning: plan.toml: data, clients have no effect in a federation, where each client names "
                "its own file in its settings\n"),
      std::string::npos)
      << said;
  EXPECT_EQ(program_.folder().read("run/plan.toml").find("\ndata = "), std::string::npos);
}

TEST(Client, FindsOutBeforeItConnectsThatItsDataCannotBeRead) {
  const test::Program program;
  program.folder().write("empty.csv", "");
  const auto told = [&](const std::string& files) {
    const auto ended = program.run("client --server 127.0.0.1:9 --name a --insecure --wait 60 " + files);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    return ended.err;
  };

  EXPECT_EQ(told("--data none.csv"), "fedrk: none.csv: cannot be read: No such file or directory\n");
  EXPECT_EQ(told("--data empty.csv"), "fedrk: empty.csv: the file is empty\n");
  EXPECT_EQ(told("--matrix A.npy --rhs b.npy"), "fedrk: A.npy: cannot be read: No such file or directory\n");
}

}  // namespace
}  // namespace fedrk
