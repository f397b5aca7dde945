// SPDX-License-Identifier: Apache-2.0
#include "ops/http_endpoint.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/http_get.hpp"

namespace fedrk::operation {
namespace {

using test::HttpPage;
using test::RawConnection;

std::optional<std::string> healthy() { return std::nullopt; }
std::vector<Metric> one_metric() { return {{"fedrk_round", "The round at hand.", MetricType::Gauge, {}, 3}}; }

std::unique_ptr<HttpEndpoint> started(HealthSource health = healthy, MetricsSource metrics = one_metric) {
  auto endpoint = HttpEndpoint::start({}, std::move(health), std::move(metrics));
  if (!endpoint) throw std::runtime_error(endpoint.error().message);
  return *std::move(endpoint);
}

std::optional<HttpPage> get(const HttpEndpoint& endpoint, const std::string& path) {
  return test::http_get(endpoint.port(), path);
}

TEST(HttpEndpoint, SaysThatAllIsWellOrWhatIsWrong) {
  std::atomic<bool> well = true;
  const auto endpoint = started([&]() -> std::optional<std::string> {
    if (well) return std::nullopt;
    return "2 of 7 clients are gone";
  });

  const auto before = get(*endpoint, "/healthz");
  well = false;
  const auto after = get(*endpoint, "/healthz");

  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->status, 200);
  EXPECT_EQ(before->body, "ok\n");
  EXPECT_EQ(after->status, 503);
  EXPECT_EQ(after->body, "2 of 7 clients are gone\n");
}

TEST(HttpEndpoint, ShowsTheMetricsOfTheMoment) {
  std::atomic<int> round = 0;
  const auto endpoint = started(healthy, [&] {
    auto metrics = one_metric();
    metrics[0].value = ++round;
    return metrics;
  });

  for (const char* value : {"1", "2"}) {
    const auto page = get(*endpoint, "/metrics");
    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    EXPECT_EQ(page->field("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_EQ(page->body, "# HELP fedrk_round The round at hand.\n# TYPE fedrk_round gauge\nfedrk_round " +
                              std::string(value) + "\n");
  }
}

TEST(HttpEndpoint, KnowsNoOtherPageAndNoOtherVerb) {
  const auto endpoint = started();

  for (const char* path : {"/", "/healthz/", "/metrics/../healthz", "/etc/passwd", "//metrics"}) {
    const auto page = get(*endpoint, path);
    ASSERT_TRUE(page) << path;
    EXPECT_EQ(page->status, 404) << path;
  }
  const auto posted = test::http_get(endpoint->port(), "/metrics", "POST");
  const auto head = test::http_get(endpoint->port(), "/metrics", "HEAD");
  ASSERT_TRUE(posted && head);
  EXPECT_EQ(posted->status, 405);
  EXPECT_EQ(head->status, 405);
  EXPECT_EQ(posted->field("Allow"), "GET");
}

TEST(HttpEndpoint, AnswersWholeEvenIfPartsAreAskedFor) {
  const auto endpoint = started();

  const auto page = test::http_get(endpoint->port(), "/healthz", "GET", "Range: bytes=0-0,0-0,0-0\r\n");

  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "ok\n");
}

TEST(HttpEndpoint, SurvivesASourceThatThrows) {
  const auto endpoint = started(healthy, []() -> std::vector<Metric> { throw std::runtime_error("secret words"); });

  const auto page = get(*endpoint, "/metrics");

  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 500);
  EXPECT_EQ(page->body, "the server could not tell\n");
  EXPECT_EQ(page->head.find("secret words"), std::string::npos);
  EXPECT_TRUE(get(*endpoint, "/healthz"));
}

TEST(HttpEndpoint, SaysThatAPortIsTaken) {
  const auto first = started();

  const auto second = HttpEndpoint::start({.address = "127.0.0.1", .port = first->port()}, healthy, one_metric);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "127.0.0.1:" + std::to_string(first->port()) +
                                        ": cannot show /healthz and /metrics there (Address already in use); choose "
                                        "another port, or 0 for a free one");
}

TEST(HttpEndpoint, SaysThatAnAddressIsNotOfThisMachine) {
  EXPECT_FALSE(HttpEndpoint::start({.address = "192.0.2.1", .port = 0}, healthy, one_metric));
  EXPECT_FALSE(HttpEndpoint::start({.address = "not an address", .port = 0}, healthy, one_metric));
}

TEST(HttpEndpoint, TakesAPortAgainAtOnceAfterItsEnd) {
  auto first = started();
  const std::uint16_t port = first->port();
  ASSERT_TRUE(get(*first, "/healthz"));
  first.reset();

  const auto second = HttpEndpoint::start({.address = "127.0.0.1", .port = port}, healthy, one_metric);

  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(get(**second, "/healthz"));
}

TEST(HttpEndpoint, EndsWithinASecondWhoeverIsConnected) {
  auto endpoint = started();
  const std::uint16_t port = endpoint->port();
  const RawConnection silent(port), halfway(port), waiting(port);
  halfway.send("GET /metrics HTTP/1.1\r\nHost: ");
  ASSERT_TRUE(silent.connected() && halfway.connected() && waiting.connected());
  ASSERT_TRUE(get(*endpoint, "/healthz"));  // by now it has accepted them

  const auto begin = std::chrono::steady_clock::now();
  endpoint.reset();

  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_EQ(silent.read_to_end(), "");
}

TEST(HttpEndpoint, ClosesOnWhoeverNeverStopsSending) {
  const auto endpoint = started();
  const RawConnection flood(endpoint->port());

  flood.send("GET /metrics HTTP/1.1\r\n");
  for (int line = 0; line < 1000; ++line) flood.send("X-Header: " + std::string(100, 'x') + "\r\n");

  EXPECT_EQ(flood.read_to_end().find("200 OK"), std::string::npos);
  EXPECT_TRUE(get(*endpoint, "/healthz"));
}

TEST(HttpEndpoint, AnswersWhileHundredsOfConnectionsSayNothing) {
  const auto endpoint = started();
  std::vector<RawConnection> slow;
  for (int k = 0; k < 300; ++k) {
    slow.emplace_back(endpoint->port());
    if (k % 2 == 0) slow.back().send("GET /metrics HTTP/1.1\r\nHost: ");
  }
  const auto begin = std::chrono::steady_clock::now();

  for (int k = 0; k < 20; ++k) EXPECT_TRUE(get(*endpoint, "/healthz"));

  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)) << "before the slow ones are closed";
}

// Beyond what the sockets hold: it stays unsent while nobody reads it.
std::vector<Metric> long_page() {
  auto metrics = one_metric();
  metrics.front().help.assign(std::size_t{8} << 20, 'x');
  return metrics;
}

class SlowClients : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Manners, SlowClients,
                         testing::Values("says nothing", "drips a header", "never ends its header", "never reads"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, ' ');
                           return name;
                         });

TEST_P(SlowClients, DelayNobodyAndAreClosedAfterTheirTime) {
  const std::string manner = GetParam();
  const auto endpoint = started(healthy, long_page);
  std::vector<RawConnection> slow;
  const int count = manner == "never reads" ? 3 : 100;  // each of its pages is eight megabytes
  for (int k = 0; k < count; ++k) {
    slow.emplace_back(endpoint->port());
    if (manner == "says nothing") continue;
    slow.back().send(manner == "never reads" ? "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
                                             : "GET /metrics HTTP/1.1\r\n");
  }
  ASSERT_TRUE(get(*endpoint, "/healthz"));  // by now it has accepted them, and made their pages
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (Clock::now() - begin < std::chrono::milliseconds(4500)) {
    if (manner == "drips a header") {
      for (const RawConnection& each : slow) each.send("X");
    }
    const auto asked = Clock::now();
    EXPECT_TRUE(get(*endpoint, "/healthz"));
    EXPECT_LT(Clock::now() - asked, std::chrono::seconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }

  // Two seconds each, and by now there is nothing to wait for.
  const auto closed = Clock::now();
  for (const RawConnection& each : slow) each.read_to_end();
  EXPECT_LT(Clock::now() - closed, std::chrono::seconds(1));
}

TEST(HttpEndpoint, BearsWhatIsNotHttp) {
  const auto endpoint = started();
  for (const std::string& text :
       {std::string("\r\n\r\n"), std::string("\0\xff\x16\x03\x01", 5) + "\r\n\r\n", std::string("GET\r\n\r\n"),
        "GET /" + std::string(12000, 'a') + " HTTP/1.1\r\n\r\n"}) {
    const RawConnection connection(endpoint->port());
    connection.send(text);
    EXPECT_EQ(connection.read_to_end().find("200 OK"), std::string::npos);
  }
  EXPECT_TRUE(get(*endpoint, "/healthz"));
}

}  // namespace
}  // namespace fedrk::operation
