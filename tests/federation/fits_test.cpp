// SPDX-License-Identifier: Apache-2.0

// Fits by sums over a federation of processes: masked over TLS they are those of one process, group by group too, with
// certified digits; and they are so in chaos.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "federation/chaos.hpp"

namespace fedrk::test {
namespace {

constexpr auto npos = std::string::npos;

KitSpec prostate_fit(const std::string& entries, std::size_t clients, bool masked = true) {
  return {.table = FEDRK_SOURCE "/data/prostate.csv",
          .plan = "goal = \"fit\"\ntarget = \"lpsa\"\nseed = 3\n" + entries,
          .clients = clients,
          .masked = masked,
          .rules = masked ? kUnlimited : ""};
}

/// By conjugate gradients over two groups, for a matrix that is nearly square: some hundreds of rounds.
const StartupKit& many_rounds() {
  static const StartupKit kit({.generate = {"gaussian", "--rows", "130", "--cols", "110", "--noise", "0.1"},
                               .plan = "goal = \"fit\"\nmethod = \"cg\"\nintercept = false\nparticipants = 3\n"
                                       "tolerance = 1e-11\nseed = 3\n",
                               .clients = 6,
                               .masked = true,
                               .rules = kUnlimited});
  return kit;
}

// ---- The fit of one process.

class MaskedFit : public FederationTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Plans, MaskedFit,
                         testing::Values("", "participants = 3\n", "method = \"cg\"\ntolerance = 1e-14\n",
                                         "ridge = 2.5\n", "ridge = 2.5\nstandardize = true\nparticipants = 3\n"));

TEST_P(MaskedFit, IsThatOfOneProcess) {
  const StartupKit kit(prostate_fit(GetParam(), 7));
  begin(kit).start_all();

  EXPECT_EQ(federation_->server().wait(60s), kDone) << federation_->story();
  expect_clients_to_give(kDone);
  EXPECT_LT(distance_of_solutions(federation_->solution(), kit.expected()), 1e-12) << federation_->solution();
  EXPECT_EQ(federation_->result("result.json").find("single updates"), npos) << "nothing to warn of";
}

TEST_F(FederationTest, FitsTheBitsOfOneProcessUnmasked) {
  for (const char* entries : {"participants = 3\n", "method = \"cg\"\nparticipants = 3\n"}) {
    const StartupKit kit(prostate_fit(entries, 7, false));
    begin(kit).start_all();
    expect_a_good_end();
  }
}

// ---- Certified digits, from four sites that only ever sent masked sums.

std::map<std::string, double> solution_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::map<std::string, double> solution;
  std::string line;
  std::getline(lines, line);  // header
  while (std::getline(lines, line)) {
    const std::size_t comma = line.find(',');
    solution[line.substr(0, comma)] = std::strtod(line.c_str() + comma + 1, nullptr);
  }
  return solution;
}

struct Certified {
  const char* name;
  const char* entries;
  std::size_t clients = 4;
};
class CertifiedFit : public FederationTest, public testing::WithParamInterface<Certified> {};
constexpr const char* kFifth = "powers = [\"x:5\"]\n";
INSTANTIATE_TEST_SUITE_P(Nist, CertifiedFit,
                         testing::Values(Certified{"Norris", ""}, Certified{"Pontius", "powers = [\"x:2\"]\n"},
                                         Certified{"NoInt1", "intercept = false\n"},
                                         Certified{"NoInt2", "intercept = false\n", 3},  // it has three rows
                                         Certified{"Filip", "powers = [\"x:10\"]\n"}, Certified{"Longley", ""},
                                         Certified{"Wampler1", kFifth}, Certified{"Wampler2", kFifth},
                                         Certified{"Wampler3", kFifth}, Certified{"Wampler4", kFifth},
                                         Certified{"Wampler5", kFifth}),
                         [](const auto& test) { return test.param.name; });

TEST_P(CertifiedFit, HasTwelveDigitsFromMaskedSums) {
  const std::string nist = FEDRK_SOURCE "/tests/data/nist/";
  std::ifstream file(nist + "certified.json");
  const auto certified = nlohmann::json::parse(file)[GetParam().name];
  const StartupKit kit({.table = nist + certified["file"].get<std::string>(),
                        .plan = "goal = \"fit\"\ntarget = \"y\"\n" + std::string(GetParam().entries),
                        .clients = GetParam().clients,
                        .masked = true,
                        .rules = kUnlimited});
  begin(kit).start_all();

  ASSERT_EQ(federation_->server().wait(60s), kDone) << federation_->story();
  const auto found = solution_of(federation_->solution());
  ASSERT_EQ(found.size(), certified["coefficients"].size());
  for (const auto& entry : certified["coefficients"]) {
    const auto name = entry["name"].get<std::string>();
    const double known = entry["estimate"].get<double>();
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_NEAR(found.at(name), known, 1e-12 * std::abs(known)) << name;
  }
}

// ---- Columns in any order.

TEST_F(FederationTest, FitsColumnsThatEachClientHasInAnotherOrder) {
  const StartupKit kit(prostate_fit("powers = [\"lcavol:2\"]\n", 4));
  Federation& federation = begin(kit);
  // The last column first.
  for (const std::size_t i : {1U, 3U}) {
    const std::string path = federation.path(site_name(i) + "/data.csv");
    std::ifstream in(path);
    std::string line, text;
    while (std::getline(in, line)) {
      const std::size_t comma = line.rfind(',');
      text += line.substr(comma + 1) + ',' + line.substr(0, comma) + '\n';
    }
    in.close();
    std::ofstream(path) << text;
  }
  federation.start_all();

  EXPECT_EQ(federation.server().wait(60s), kDone) << federation.story();
  EXPECT_LT(distance_of_solutions(federation.solution(), kit.expected()), 1e-12) << federation.solution();
}

TEST_F(FederationTest, NamesEveryColumnThatAClientLacks) {
  const StartupKit kit(prostate_fit("", 3));
  Federation& federation = begin(kit);
  for (const std::size_t i : {1U, 2U}) {
    const std::string path = federation.path(site_name(i) + "/data.csv");
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    in.close();
    std::string changed = text.str();
    changed.replace(changed.find(i == 1 ? "lcavol" : "lbph"), i == 1 ? 6 : 4, i == 1 ? "volume" : "bph");
    std::ofstream(path) << changed;
  }
  federation.start_all();

  EXPECT_EQ(federation.server().wait(60s), kRunFailed) << federation.story();
  for (const char* message : {"site-2 lacks 'lcavol'", "site-2 has 'volume', site-1 has not", "site-3 lacks 'lbph'"}) {
    EXPECT_NE(federation.server().err().find(message), npos) << federation.server().err();
  }
}

// ---- Chaos.

TEST_F(FederationTest, FitsToTheSameBitsHoweverOftenItIsKilled) {
  begin(many_rounds()).start_all();
  EXPECT_EQ(federation_->server().wait(60s), kDone) << federation_->story();
  const std::string undisturbed = federation_->solution();
  EXPECT_LT(distance_of_solutions(undisturbed, many_rounds().expected()), 1e-8);

  unsigned draw = 7;
  const auto below = [&](unsigned bound) { return (draw = draw * 1664525 + 1013904223) / 65536 % bound; };
  for (int day = 0; day < 3; ++day) {
    Federation& federation = begin(many_rounds());
    federation.start_all();
    bool finished = false;  // before the server was killed
    for (int kills = 0; kills < 4 && !finished && federation.server_runs(); ++kills) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50 + below(300)));
      const unsigned who = below(7);
      if (who == 6) {
        federation.server().kill();
        finished = federation.state() == "finished:completed";
        if (finished) continue;
        federation.start_server(below(2) == 0 ? Federation::Start::SameCommand : Federation::Start::Resume);
      } else {
        federation.client(who).kill();
        federation.start_client(who);
      }
    }
    if (!finished) {
      EXPECT_EQ(federation.server().wait(60s), kDone) << federation.story();
    }
    EXPECT_EQ(federation.solution(), undisturbed) << day;
  }
}

// The others would show its part by the difference of two sums, and do not.
TEST_F(FederationTest, EndsAMaskedFitThatLostAClientForGoodAndGoesOnWhenItIsBack) {
  Federation& federation = begin(many_rounds(), {"--heartbeat", "0.1", "--away-limit", "0.2", "--join-limit", "3"});
  federation.start_all();
  ASSERT_TRUE(reaches(6)) << federation.story();
  federation.client(2).kill();

  EXPECT_EQ(federation.server().wait(60s), kRunFailed) << federation.story();
  const std::string message = federation.server().err() + federation.result("result.json");
  EXPECT_NE(message.find("site-3 stayed away"), npos) << message;
  EXPECT_NE(message.find("a masked run cannot go on without it"), npos) << message;
  EXPECT_EQ(federation.state(), "finished:failed");

  federation.set_server_flags(patient_limits());
  federation.start_server();
  for (std::size_t i = 0; i < federation.clients(); ++i) {
    if (!federation.client_runs(i)) federation.start_client(i);
  }
  EXPECT_EQ(federation.server().wait(60s), kDone) << federation.story();
  EXPECT_LT(distance_of_solutions(federation.solution(), many_rounds().expected()), 1e-8);
}

TEST_F(FederationTest, FitsTheOthersWithoutMasksWhereAClientIsLostForGood) {
  const StartupKit kit({.generate = {"gaussian", "--rows", "130", "--cols", "110", "--noise", "0.1"},
                        .plan = "goal = \"fit\"\nmethod = \"cg\"\nintercept = false\nparticipants = 3\n"
                                "tolerance = 1e-10\nseed = 3\n",
                        .clients = 6,
                        .masked = false});
  Federation& federation = begin(kit, {"--heartbeat", "0.1", "--away-limit", "0.2", "--join-limit", "2"});
  federation.start_all();
  ASSERT_TRUE(reaches(6)) << federation.story();
  federation.client(2).kill();

  EXPECT_EQ(federation.server().wait(60s), kDone) << federation.story();
  EXPECT_NE(federation.result("result.json").find("site-3 stayed away and was left out"), npos);
}

}  // namespace
}  // namespace fedrk::test
