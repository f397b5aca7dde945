// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/file_owner.hpp"

#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>

#include "support/messages.hpp"
#include "support/temp_folder.hpp"
#include "transport/protocol/client_protocol.hpp"

namespace fedrk::network {
namespace {

/// A client with one file, from its welcome to its first task, and all that its log says meanwhile.
class LoggedClient {
 public:
  LoggedClient(const OwnFiles& files, std::vector<wire::PlanEntry> plan)
      : out_(std::fopen((folder_ / "log").c_str(), "w")),
        log_(operation::make_log(operation::LogFormat::Text, operation::LogLevel::Debug, out_)),
        owner_("site", files, 7, *log_),
        client_({.name = "site", .software = "", .consent = {.reveal_updates = true, .expose_rows = true}}, owner_,
                *log_) {
    plan.push_back({"method", {"published"}});
    hear(wire::Welcome{.run = "r", .plan = std::move(plan)});
    hear(wire::SumColumns{.run = "r", .question = {.columns = 2}});
    hear(wire::Prepare{.run = "r", .question = {.columns = 2}});
    std::fclose(out_);
  }
  LoggedClient(const LoggedClient&) = delete;
  LoggedClient& operator=(const LoggedClient&) = delete;

  std::string log() const { return folder_.read("log"); }
  /// What it refused with.
  const std::string& refusals() const { return refusals_; }

 private:
  void hear(const wire::ServerMessage& message) {
    const auto reaction = client_.on_message(message);
    if (!reaction.answer) return;
    if (const auto* refusal = std::get_if<wire::Refusal>(&*reaction.answer)) refusals_ += refusal->reason + '\n';
  }

  test::TempFolder folder_;
  std::FILE* out_;
  std::unique_ptr<operation::Log> log_;
  FileOwner owner_;
  ClientProtocol client_;
  std::string refusals_;
};

struct WrongFile {
  std::string name, content;
  std::string said;  // by the log, behind the folder
};

void PrintTo(const WrongFile& file, std::ostream* out) {  // NOLINT: so named by GoogleTest
  *out << file.name << " " << file.content;
}

// Stands for a value of the data wherever one can be wrong: as a text, and in the digits of a number.
const std::string kText = "Marker4711", kDigits = "4711";

class WrongFiles : public testing::TestWithParam<WrongFile> {};

TEST_P(WrongFiles, AreToldByPlaceAndKindAndNeverByTheirValues) {
  const test::TempFolder folder;
  const WrongFile& wrong = GetParam();
  const std::string path = folder.write(wrong.name, wrong.content).string();
  const std::string good = folder.write("rhs.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n").string();
  const bool table = !wrong.name.starts_with("rhs") && !wrong.name.starts_with("matrix");
  const OwnFiles files = table ? OwnFiles{path, "", ""} : OwnFiles{"", path, good};

  const LoggedClient client(files,
                            table ? std::vector<wire::PlanEntry>{{"target", {"y"}}} : std::vector<wire::PlanEntry>{});

  EXPECT_NE(client.log().find("data.wrong"), std::string::npos) << client.log();
  EXPECT_NE(client.log().find(wrong.said), std::string::npos) << client.log();
  EXPECT_EQ(client.log().find(kDigits), std::string::npos) << client.log();
  EXPECT_EQ(client.refusals().find(kDigits), std::string::npos) << client.refusals();
}

const std::string kCoordinate = "%%MatrixMarket matrix coordinate real general\n",
                  kWhole = "%%MatrixMarket matrix coordinate integer general\n",
                  kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n",
                  kArray = "%%MatrixMarket matrix array real general\n";

INSTANTIATE_TEST_SUITE_P(
    Csv, WrongFiles,
    testing::Values(WrongFile{"a.csv", "u,v,y\n1,2,3\n1," + kText + ",3\n",
                              "a.csv:3: column 'v': expected a number, found text"},
                    WrongFile{"a.csv", "u,v,y\n1,2,\"" + kText + "\"\n", "column 'y': expected a number, found text"},
                    WrongFile{"a.csv", "u,v,y\n1,4711e999,3\n", "the number is too large"},
                    WrongFile{"a.csv", "u,v,y\n1,\"" + kText + ",3\n", "expected a closing quote"},
                    WrongFile{"a.csv", "u,v,y\n1,2,3," + kText + "\n", "expected 3 fields, found 4"},
                    WrongFile{"a.csv", "u,v,y\n1," + kText + "\n", "expected 3 fields, found 2"},
                    WrongFile{"a.csv", kText + ",male,4\nP2,female,5\n",
                              "a.csv:1: no column 'y' in the header, which has 3 columns"},
                    WrongFile{"a.csv", kText + "," + kText + ",4\nP2,female,5\n", "columns 1 and 2 have the same name"},
                    WrongFile{"a.csv", kText + "\xFF,male,4\nP2,female,5\n", "expected a name in UTF-8"},
                    WrongFile{"a.csv", "4711,1,2\n3,4,5\n", "found numbers"},
                    WrongFile{"a.csv", "u,v,y\n1,2,4711e300\n", "row 1"}));

INSTANTIATE_TEST_SUITE_P(
    Libsvm, WrongFiles,
    testing::Values(WrongFile{"a.svm", kText + " 1:2\n", "a.svm:1: label: expected a number, found text"},
                    WrongFile{"a.svm", "1 1:2 2:" + kText + "\n",
                              "a.svm:1: pair 2: value: expected a number, found text"},
                    WrongFile{"a.svm", "1 1:2 " + kText + ":3\n", "pair 2: index: expected a whole number, found text"},
                    WrongFile{"a.svm", "1 1:2 " + kText + "\n", "pair 2: expected index:value, found no colon"},
                    WrongFile{"a.svm", kText + ":1 2:3\n", "expected a label before the pairs"},
                    WrongFile{"a.svm", "1 4711:1 2:3\n", "expected ascending indices"},
                    WrongFile{"a.svm", "1 99994711999:1\n", "expected indices up to"},
                    WrongFile{"a.svm", "1 qid:4711 2:3\n", "qid is not supported"},
                    WrongFile{"a.svm", "1 1:4711e999\n", "the number is too large"}));

INSTANTIATE_TEST_SUITE_P(
    MatrixMarket, WrongFiles,
    testing::Values(
        WrongFile{"matrix.mtx", kCoordinate + "2 2 1\n1 1 " + kText + "\n",
                  "matrix.mtx:3: expected a number, found text"},
        WrongFile{"matrix.mtx", kCoordinate + "2 2 1\n1 4711 1\n", "column: expected a whole number from 1 to 2"},
        WrongFile{"matrix.mtx", kCoordinate + "2 2 1\n" + kText + " 1 1\n", "row: expected a whole number, found text"},
        WrongFile{"matrix.mtx", kCoordinate + "2 2 1\n1 1 1 4711\n", "found 4 fields"},
        WrongFile{"matrix.mtx", kWhole + "2 2 1\n1 1 4711.5\n", "expected a whole number, found another number"},
        WrongFile{"matrix.mtx", kSymmetric + "5000 5000 1\n1 4711 1\n", "the entry lies above the diagonal"},
        WrongFile{"matrix.mtx", kArray + "2 1\n1\n1 4711\n", "matrix.mtx:4: expected a number, found text"},
        WrongFile{"matrix.mtx", kCoordinate + "1 1 4711\n", "more entries announced"},
        WrongFile{"matrix.mtx", kArray + kText + "\n", "expected a whole number, found text"},
        WrongFile{"matrix.mtx", "%%MatrixMarket matrix " + kText + "\n", "this format is not supported"},
        WrongFile{"matrix.npy", "\x93NUMPY" + std::string("\x01\x00\x10\x00", 4) + "{" + kText + "    \n",
                  "malformed NPY header"},
        WrongFile{"matrix.txt", kText, "found neither"}));

TEST(FileOwner, SaysThatAPlanNamesNoTarget) {
  const test::TempFolder folder;
  const std::string path = folder.write("a.csv", kText + ",male\nP2,female\n").string();

  const LoggedClient client({path, "", ""}, {});

  EXPECT_NE(client.log().find("the plan names no target"), std::string::npos) << client.log();
  EXPECT_EQ(client.log().find(kDigits), std::string::npos) << client.log();
}

}  // namespace
}  // namespace fedrk::network
