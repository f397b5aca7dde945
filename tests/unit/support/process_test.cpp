// SPDX-License-Identifier: Apache-2.0
#include "support/process.hpp"

#include <csignal>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace fedrk::test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

class ProcessTest : public testing::Test {
 protected:
  Process shell(const std::string& line) const { return {{"sh", "-c", line}, folder_.path(), folder_.path(), "p"}; }
  static bool exists(pid_t id) { return ::kill(id, 0) == 0; }
  static char state(pid_t id) {
    std::ifstream in("/proc/" + std::to_string(id) + "/stat");
    std::string number, name, word;
    in >> number >> name >> word;
    return word.empty() ? '-' : word[0];
  }

  TempFolder folder_;
};

TEST_F(ProcessTest, TellsTheExitCodeAndBothOutputs) {
  Process process = shell("pwd; echo oops >&2; exit 3");

  EXPECT_EQ(process.wait(5s), 3);
  EXPECT_EQ(process.out(), folder_.path().string() + "\n");
  EXPECT_EQ(process.err(), "oops\n");
  EXPECT_FALSE(process.running());
}

TEST_F(ProcessTest, TellsWhatIsPrintedWhileItRuns) {
  Process process = shell("echo port 17; sleep 60");

  EXPECT_TRUE(wait_until(5s, [&] { return process.out() == "port 17\n"; }));
  EXPECT_TRUE(process.running());
  EXPECT_EQ(process.wait(10ms), std::nullopt);
}

TEST_F(ProcessTest, StartedAgainShowsOnlyWhatItPrintsThisTime) {
  ASSERT_EQ(shell("echo first").wait(5s), 0);
  Process again = shell("echo second");

  ASSERT_EQ(again.wait(5s), 0);
  EXPECT_EQ(again.out(), "second\n");
  EXPECT_EQ(folder_.read("p.out"), "first\nsecond\n");
}

TEST_F(ProcessTest, CanBeStoppedContinuedAndEnded) {
  Process process({"sleep", "60"}, folder_.path(), folder_.path(), "p");

  process.signal(SIGSTOP);
  EXPECT_TRUE(wait_until(5s, [&] { return state(process.id()) == 'T'; }));
  process.signal(SIGCONT);
  EXPECT_TRUE(wait_until(5s, [&] { return state(process.id()) == 'S'; }));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(5s), 128 + SIGTERM);
  process.signal(SIGKILL);  // to nobody
}

TEST_F(ProcessTest, LeavesNothingBehind) {
  pid_t head = 0, child = 0;
  {
    Process process = shell("sleep 60 & echo $!; trap '' TERM; kill -STOP $$; wait");
    ASSERT_TRUE(wait_until(5s, [&] { return !process.out().empty() && state(process.id()) == 'T'; }));
    head = process.id();
    child = std::stoi(process.out());
  }
  EXPECT_FALSE(exists(head));
  EXPECT_TRUE(wait_until(5s, [&] { return !exists(child) || state(child) == 'Z'; }));
}

TEST_F(ProcessTest, SaysThatAProgramIsNotThere) {
  Process process({"no-such-program"}, folder_.path(), folder_.path(), "p");

  EXPECT_EQ(process.wait(5s), 127);
  EXPECT_EQ(process.err(), "No such file or directory");
}

TEST(RunCommand, GivesUpAfterItsTime) {
  EXPECT_EQ(run_command({"echo", "a b"}).out, "a b\n");
  EXPECT_EQ(run_command({"sleep", "60"}, 20ms).exit_code, 128 + SIGKILL);
}

}  // namespace
}  // namespace fedrk::test
