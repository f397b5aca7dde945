// SPDX-License-Identifier: Apache-2.0

// Whoever can reach the port, and members that break the rules: honest clients are served all the same, and the
// server's memory stays bounded. `make test-hostile` runs the same at full size: thousands of connections, a message of
// 800 MB.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "federation/chaos.hpp"
#include "pki/openssl.hpp"
#include "pki/private_file.hpp"
#include "pki/tls_probe.hpp"
#include "support/http_get.hpp"
#include "support/messages.hpp"
#include "transport/protocol/server_link.hpp"

namespace fedrk::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool full_size() { return std::getenv("FEDRK_HOSTILE_FULL") != nullptr; }
std::size_t many() { return full_size() ? 3000 : 400; }
/// That an honest client waits. The reduced form is run on machines that do much else, so its limit is generous, but
/// well below the time after which the server gives up on the others.
std::chrono::milliseconds longest_wait() { return full_size() ? 1s : 5s; }
#ifdef FEDRK_SANITIZED
constexpr double kHeldBack = 256e6;  // bytes that were freed and that the address sanitizer keeps to see them misused
#else
constexpr double kHeldBack = 0.0;
#endif
constexpr double kMaxGrowth = 100e6 + kHeldBack;  // bytes, whatever comes

/// Resident memory of a process in bytes.
double memory_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return 1024.0 * std::stod(line.substr(6));
  }
  return 0.0;
}

/// The first message of a handshake, whole: the server answers it with a key exchange and a signature.
std::string greeting_of_a_client() {
  const security::TlsContext context(SSL_CTX_new(TLS_client_method()));
  const security::Tls tls(SSL_new(context.get()));
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(tls.get(), BIO_new(BIO_s_mem()), out);
  SSL_set_connect_state(tls.get());
  SSL_do_handshake(tls.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

class HostileConnections : public FederationTest {
 protected:
  HostileConnections() {
    rlimit descriptors{};
    ::getrlimit(RLIMIT_NOFILE, &descriptors);
    descriptors.rlim_cur = descriptors.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
  }

  void start(const Arguments& before = {}, const Arguments& flags = {}) {
    Arguments all = patient_limits();
    all.insert(all.end(), flags.begin(), flags.end());
    begin(by_fedrk(), all).start_server(Federation::Start::SameCommand, before);
    const auto file = [&](const std::string& name) { return *security::read_text_file(federation_->path(name)); };
    honest_ = {file("site-1/client.crt"), file("site-1/client.key"), file("ca/ca.crt")};
    expect_service();
    idle_ = memory_of(federation_->server().id());
  }

  /// What the honest clients of a scenario met with: the longest wait, and the most memory beyond that of an idle
  /// server.
  void TearDown() override {
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(waited_).count();
    RecordProperty("longest_wait_ms", std::to_string(waited));
    RecordProperty("memory_growth_mb", std::to_string(growth_ / 1e6));
    std::cout << "  an honest client waited for at most " << waited << " ms (" << served_ << " asked); memory grew by "
              << growth_ / 1e6 << " MB\n";
  }

  /// A handshake with certificates and the upgrade to WebSocket, as a client does it.
  void expect_service() {
    const auto begin = std::chrono::steady_clock::now();
    const auto finding = security::tls_probe("127.0.0.1", federation_->port(), honest_, 5s);
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(finding.ok) << finding.message << "\n" << federation_->story();
    EXPECT_LT(took, longest_wait()) << "in ns\n" << federation_->story();
    waited_ = std::max(waited_, took);
    ++served_;
  }
  /// Honest clients that come one after the other until what is returned goes out of scope. Nobody else may ask then.
  [[nodiscard]] std::jthread expect_service_throughout() {
    return std::jthread([this](const std::stop_token& end) {
      while (!end.stop_requested()) {
        expect_service();
        std::this_thread::sleep_for(20ms);
      }
    });
  }
  void expect_bounded_memory() {
    const double growth = memory_of(federation_->server().id()) - idle_;
    EXPECT_LT(growth, kMaxGrowth) << "idle: " << idle_;
    growth_ = std::max(growth_, growth);
  }
  RawConnection connect() { return RawConnection(federation_->port()); }

  /// Connections that all say this and then nothing; in between honest ones are served.
  std::vector<RawConnection> crowd(const std::string& message) {
    std::vector<RawConnection> all;
    for (std::size_t k = 0; k < many(); ++k) {
      all.push_back(connect());
      if (!message.empty()) all.back().send(message);
      if (k % (many() / 8) == 0) expect_service();
    }
    expect_service();
    expect_bounded_memory();
    return all;
  }
  void expect_a_good_run() {
    for (std::size_t i = 0; i < federation_->clients(); ++i) {
      if (!federation_->client_started(i)) federation_->start_client(i);
    }
    expect_a_good_end();
  }

  /// A member of the federation, in this process.
  std::unique_ptr<network::ServerLink> connect_as(const std::string& name) {
    const std::string folder = federation_->path(name).string();
    network::LinkOptions options;
    options.server = "127.0.0.1:" + std::to_string(federation_->port());
    options.tls = network::TlsFiles{folder + "/client.crt", folder + "/client.key", folder + "/ca.crt"};
    return *network::connect(options);
  }
  std::unique_ptr<network::ServerLink> join(const std::string& name) {
    auto link = connect_as(name);
    const wire::ClientMessage hello = wire::Hello{.name = name, .known_draws = true};
    EXPECT_TRUE(link->write({wire::ChunkKind::Whole, bytes_of(hello)}));
    return link;
  }

  security::Credentials honest_;
  double idle_ = 0.0, growth_ = 0.0;
  std::chrono::steady_clock::duration waited_{};
  int served_ = 0;
};

TEST_F(HostileConnections, InABurstThatHangsUpLeaveNothingBehind) {
  start();
  for (int time = 0; time < 2; ++time) {
    const std::jthread honest = expect_service_throughout();
    std::vector<RawConnection> burst;
    for (std::size_t k = 0; k < many(); ++k) burst.push_back(connect());
  }
  expect_service();
  expect_bounded_memory();
  expect_a_good_run();
}

TEST_F(HostileConnections, ThatSayNothingKeepNobodyOut) {
  start();
  const auto idle = crowd("");
  expect_a_good_run();
}

TEST_F(HostileConnections, ThatBeginAHandshakeAndStopKeepNobodyOut) {
  start();
  const auto stalled = crowd(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));
  EXPECT_TRUE(has(federation_->server().err(), "connections.shed")) << federation_->story();
  expect_a_good_run();
}

TEST_F(HostileConnections, ThatMakeTheServerAnswerAndStopKeepNobodyOut) {
  start();
  const auto stalled = crowd(greeting_of_a_client());
  expect_a_good_run();
}

TEST_F(HostileConnections, ThatSpeakNoTlsAreRefusedInAFewLines) {
  start();
  for (const std::string message : {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\x00\x05hello", "nonsense"}) {
    const auto talking = crowd(message + std::string(100, '\0'));
  }
  const std::string log = federation_->server().err();
  EXPECT_TRUE(has(log, "tls.refused reason=\"the peer does not speak TLS\"")) << log;
  EXPECT_LT(std::ranges::count(log, '\n'), 200) << "anybody could fill the disk";
  expect_a_good_run();
}

TEST_F(HostileConnections, FromAMemberWithAnEndlessMessageAreClosedBeforeItIsStored) {
  start();
  {
    const auto link = join("site-1");
    ASSERT_TRUE(link->read()) << federation_->story();
    const std::jthread honest = expect_service_throughout();
    const std::string endless(full_size() ? 800'000'000 : 160'000'000, '1');
    while (link->write({wire::ChunkKind::Whole, endless})) {
    }
    expect_bounded_memory();
    EXPECT_FALSE(link->read());
    EXPECT_EQ(link->finish().kind, network::LinkEnd::Kind::Lost);
  }
  expect_service();
  expect_a_good_run();
}

// Each chunk is small enough, but there are ever more of them.
TEST_F(HostileConnections, FromAMemberWithEndlessChunksAreClosedBeforeTheyAreStored) {
  start();
  {
    const auto link = join("site-1");
    ASSERT_TRUE(link->read()) << federation_->story();
    const std::jthread honest = expect_service_throughout();
    const std::string chunk(wire::kChunk, '1');
    int sent = 0;
    while (sent < 800 && link->write({wire::ChunkKind::Part, chunk})) ++sent;
    EXPECT_LT(sent, 800);
    expect_bounded_memory();
    EXPECT_FALSE(link->read());
    EXPECT_EQ(link->finish().kind, network::LinkEnd::Kind::Lost);
    EXPECT_TRUE(has(federation_->server().err(), "malformed message: more than")) << federation_->story();
  }
  expect_service();
  expect_a_good_run();
}

// Small and allowed, each of them.
TEST_F(HostileConnections, FromAMemberWithEndlessHeartbeatsAreClosed) {
  start();
  {
    const auto link = join("site-1");
    ASSERT_TRUE(link->read()) << federation_->story();
    const std::jthread honest = expect_service_throughout();
    const std::string heartbeat = bytes_of(wire::ClientMessage(wire::Heartbeat{}));
    while (link->write({wire::ChunkKind::Whole, heartbeat})) {
    }
    expect_bounded_memory();
    EXPECT_TRUE(has(federation_->server().err(), "it sends heartbeats without end")) << federation_->story();
  }
  expect_service();
  expect_a_good_run();
}

// A client of a version that wrote messages with protobuf.
TEST_F(HostileConnections, FromAMemberOfAnEarlierVersionAreRefusedInWords) {
  start();
  {
    const auto link = connect_as("site-1");
    // As the version before wrote it: { hello { protocol: 4 name: "site-1" } }, whose first byte is that of a chunk
    // here.
    ASSERT_TRUE(link->write({static_cast<wire::ChunkKind>('\x0A'), "\x0A\x08\x04\x1A\x06site-1"}));
    EXPECT_FALSE(link->read());
    const network::LinkEnd end = link->finish();
    EXPECT_EQ(end.kind, network::LinkEnd::Kind::Denied);
    EXPECT_EQ(end.message, "the server speaks protocol 8, the client 4: use the same version of fedrk on both sides");
  }
  expect_a_good_run();
}

TEST_F(HostileConnections, FromAMemberThatNeverAnswersAreClosedAsSilent) {
  start();
  const auto silent = join("site-1");
  {
    const std::jthread honest = expect_service_throughout();
    EXPECT_TRUE(wait_until(30s, [&] { return has(federation_->server().err(), "nothing was heard of it for"); }))
        << federation_->story();
  }
  expect_a_good_run();
}

TEST_F(HostileConnections, ThatAreSlowAtThePortOfTheMetricsKeepNobodyWaiting) {
  start({}, {"--metrics", "127.0.0.1:0"});
  const std::string told = federation_->server().err(), line = "health and metrics on port ";
  ASSERT_TRUE(has(told, line)) << told;
  const auto port = static_cast<std::uint16_t>(std::stoi(told.substr(told.find(line) + line.size())));

  std::vector<RawConnection> slow;
  for (std::size_t k = 0; k < many(); ++k) {
    slow.emplace_back(port);
    if (k % 3 != 0) slow.back().send(k % 3 == 1 ? "GET /metrics HTTP/1.1\r\nHost: " : std::string(5, '\0'));
    if (k % (many() / 8) != 0) continue;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(http_get(port, "/healthz"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, longest_wait()) << "in ns";
    expect_service();
  }

  expect_bounded_memory();
  expect_a_good_run();
}

TEST_F(HostileConnections, ThatTakeAllDescriptorsPauseTheServerOnly) {
  start({"sh", "-c", "ulimit -n 60; exec \"$0\" \"$@\""});
  {
    std::vector<RawConnection> all;
    for (int k = 0; k < 200; ++k) all.push_back(connect());
    EXPECT_TRUE(wait_until(10s, [&] { return has(federation_->server().err(), "accept.paused"); }))
        << federation_->story();
    expect_service();
  }
  expect_a_good_run();
}

}  // namespace
}  // namespace fedrk::test
