// SPDX-License-Identifier: Apache-2.0
#include "ops/log.hpp"

#include <algorithm>
#include <limits>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fedrk::operation {
namespace {

using nlohmann::json;

// A file in memory whose lines are read back.
class Lines {
 public:
  Lines() : file_(std::tmpfile()) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { std::fclose(file_); }

  std::FILE* file() const { return file_; }
  std::string text() const {
    std::string text;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) text += static_cast<char>(c);
    return text;
  }

 private:
  std::FILE* file_;
};

TEST(Log, WritesAnEventOnALineWithTheTimeInUtc) {
  const Lines lines;
  const auto log = make_log(LogFormat::Text, LogLevel::Debug, lines.file());

  log->info("client.joined", {{"client", "site-1"}, {"rows", 14}, {"whole", true}, {"residual", 0.25}});

  const std::regex expected(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info  client\.joined )"
                            R"(client=site-1 rows=14 whole=true residual=0\.25\n)");
  EXPECT_TRUE(std::regex_match(lines.text(), expected)) << lines.text();
}

TEST(Log, WritesAnEventAsOneJsonObject) {
  const Lines lines;
  const auto log = make_log(LogFormat::Json, LogLevel::Debug, lines.file());

  log->error("client.lost", {{"client", "a b"}, {"round", 7}, {"residual", std::numeric_limits<double>::infinity()}});

  const json event = json::parse(lines.text());
  EXPECT_EQ(event["level"], "error");
  EXPECT_EQ(event["event"], "client.lost");
  EXPECT_EQ(event["client"], "a b");
  EXPECT_EQ(event["round"], 7);
  EXPECT_EQ(event["residual"], "inf");
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  const Lines lines;
  const auto log = make_log(LogFormat::Text, LogLevel::Warning, lines.file());

  log->debug("a");
  log->info("b");
  log->warning("c");
  log->error("d");

  EXPECT_NE(lines.text().find("warn  c\n"), std::string::npos);
  EXPECT_EQ(std::ranges::count(lines.text(), '\n'), 2);
}

TEST(Log, LetsNoValueForgeALineOrSteerATerminal) {
  for (const LogFormat format : {LogFormat::Text, LogFormat::Json}) {
    const Lines lines;
    const auto log = make_log(format, LogLevel::Debug, lines.file());

    // A second line, a second field, a colour, a direction of writing, what is not UTF-8, and nothing at all.
    log->info("e", {{"a", "x\n2026 error forged"}, {"b", "1 admin=true"}, {"c", "\x1b[31m\x7f"}});
    log->info("e", {{"a", "\xe2\x80\xae\xc2\x9b"}, {"b", "\xff\xfe"}, {"c", std::string_view("\0z", 2)}, {"d", ""}});

    const std::string text = lines.text();
    EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < '\x7f'); })) << text;
    if (format == LogFormat::Text) {
      EXPECT_NE(text.find(R"(a="x\n2026 error forged" b="1 admin=true" c="\u001b[31m\u007f")"), std::string::npos)
          << text;
      EXPECT_NE(text.find(R"(d="")"), std::string::npos) << text;
    }
  }
}

TEST(Log, KeepsLinesWholeWhenManyThreadsWrite) {
  const Lines lines;
  const auto log = make_log(LogFormat::Json, LogLevel::Debug, lines.file());
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 200; ++i) log->info("e", {{"writer", w}, {"i", i}});
    });
  }
  for (auto& writer : writers) writer.join();

  std::istringstream text(lines.text());
  int count = 0;
  for (std::string line; std::getline(text, line); ++count) EXPECT_TRUE(json::accept(line)) << line;
  EXPECT_EQ(count, 800);
}

TEST(Log, PassesOverWhatCannotBeWritten) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  const auto log = make_log(LogFormat::Text, LogLevel::Debug, full);

  log->info("lost");
  log->info("lost too");

  std::fclose(full);
}

TEST(LogTee, HandsEventsToACallbackAndToTheLog) {
  const Lines lines;
  std::vector<std::string> kept;
  const auto log =
      make_tee(make_log(LogFormat::Text, LogLevel::Error, lines.file()), LogLevel::Info,
               [&](LogLevel level, std::string_view event, std::span<const LogField> fields) {
                 kept.push_back(std::string(word_of(level)) + " " + std::string(event) + " " + fields[0].value);
               });

  log->debug("a", {{"k", 1}});
  log->info("b", {{"k", 2}});
  log->error("c", {{"k", 3}});

  EXPECT_EQ(kept, (std::vector<std::string>{"info b 2", "error c 3"}));
  EXPECT_EQ(std::ranges::count(lines.text(), '\n'), 1);
}

TEST(LogLimit, LeavesOutWhatIsTooMuchAndTellsHowMuch) {
  const Lines lines;
  constexpr std::chrono::milliseconds kInterval(1000);
  const auto log = make_limited(make_log(LogFormat::Text, LogLevel::Debug, lines.file()), 3, kInterval);

  for (int k = 0; k < 5; ++k) log->info("info", {{"k", k}});
  log->warning("warning");
  log->error("error");
  log->debug("debug");
  std::this_thread::sleep_for(kInterval + kInterval / 10);
  log->info("later");

  std::string events;
  std::istringstream text(lines.text());
  for (std::string line; std::getline(text, line);) events += line.substr(line.find('Z') + 2) + "\n";
  EXPECT_EQ(events,
            "info  info k=0\ninfo  info k=1\ninfo  info k=2\n"
            "warn  log.limited reason=\"too many events to tell each\"\n"
            "error error\ndebug debug\nwarn  log.limited left_out=3\ninfo  later\n");
}

TEST(LogTee, WritesTheLineEvenIfTheCallbackThrows) {
  const Lines lines;
  const auto log = make_tee(make_log(LogFormat::Text, LogLevel::Debug, lines.file()), LogLevel::Debug,
                            [](auto&&...) { throw std::runtime_error("the store is full"); });

  log->info("still there");

  EXPECT_NE(lines.text().find("still there"), std::string::npos);
}

}  // namespace
}  // namespace fedrk::operation
