// SPDX-License-Identifier: Apache-2.0
#include "plan/settings.hpp"

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace fedrk::network {
namespace {

constexpr const char* kClient = "server = 'localhost:7443'\nname = 'a'\ndata = 'a.csv'\ninsecure = true\n";

ClientSettings settings_with(const test::TempFolder& folder, const std::string& lines) {
  const auto read = read_client_settings(folder.write("client.toml", kClient + lines));
  EXPECT_TRUE(read) << read.error().message;
  return *read;
}

TEST(ClientSettings, SayHowMuchPrivacyTheRowsMayEverGiveAway) {
  const test::TempFolder folder;
  const ClientSettings bounded = settings_with(folder, "epsilon = 2.5\ndelta = 1e-7\n");

  EXPECT_EQ(bounded.privacy_epsilon, 2.5);
  EXPECT_EQ(bounded.privacy_delta, 1e-7);
  EXPECT_TRUE(check(bounded));
  EXPECT_EQ(settings_with(folder, "epsilon = 'none'\n").privacy_epsilon, 0.0);
  EXPECT_EQ(settings_with(folder, "").privacy_epsilon, 0.0);
}

TEST(ClientSettings, RefuseADeltaThatPromisesNothing) {
  const test::TempFolder folder;
  const auto fine = check(settings_with(folder, "epsilon = 1\ndelta = 0.1\n"));
  ASSERT_FALSE(fine);
  EXPECT_EQ(fine.error().message, "--delta: below 0.1, and well below one over the number of rows");
}

TEST(ClientSettings, RefuseAWaitThatNoClockCanAdd) {
  const test::TempFolder folder;

  const auto read = read_client_settings(folder.write("client.toml", "wait = 1e300\n"));

  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("client.toml:1: wait: expected a number above 0, at most 1e9, found '1e+300'"),
            std::string::npos)
      << read.error().message;
}

TEST(ServerSettings, RefuseTimesThatNoClockCanAdd) {
  const test::TempFolder folder;
  for (const std::string name : {"join-limit", "reply-limit", "away-limit", "heartbeat"}) {
    EXPECT_FALSE(read_server_settings(folder.write("server.toml", name + " = 1e18\n"))) << name;
  }
}

TEST(ServerSettings, SayWhatHoldsInPlaceOfARemovedEntry) {
  const test::TempFolder folder;
  for (const RemovedOption& option : removed_server_options()) {
    const auto read = read_server_settings(folder.write("server.toml", std::string(option.name) + " = 5\n"));
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("server.toml:1: " + std::string(option.name) + ": removed; "),
              std::string::npos)
        << read.error().message;
    EXPECT_EQ(io::find_option(server_options(), option.name), nullptr) << option.name;
  }
}

TEST(ServerSettings, AreAboutTwenty) { EXPECT_LE(server_options().size(), 21U); }

}  // namespace
}  // namespace fedrk::network
