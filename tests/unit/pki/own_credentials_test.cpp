// SPDX-License-Identifier: Apache-2.0
#include "pki/own_credentials.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "pki/authority.hpp"
#include "pki/private_file.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::security {
namespace {

using std::chrono::days;
namespace fs = std::filesystem;

// The files of a client, as they should be; each test spoils something.
class OwnCredentials : public testing::Test {
 protected:
  OwnCredentials() { put(*authority_.issue_client("site-1", valid_for_days(now_, 365))); }

  void put(const Identity& identity) {
    folder_.write("client.crt", identity.certificate);
    EXPECT_TRUE(write_private_file(files_.key, identity.key));
    folder_.write("ca.crt", authority_.identity().certificate);
  }
  std::string complaint(Role role = Role::Client) const {
    const auto checked = check_own(files_, role, now_);
    return checked ? "" : folder_.local(checked.error().message);
  }

  const Moment now_ = now();
  const Authority authority_ = *Authority::make({now_ - days(900), now_ + days(3650)});
  const test::TempFolder folder_;
  const CredentialFiles files_{folder_ / "client.crt", folder_ / "client.key", folder_ / "ca.crt"};
};

TEST_F(OwnCredentials, AreFineAsTheyWereMade) {
  EXPECT_EQ(complaint(), "");
  for (const Remark& remark : look_at_own(files_, Role::Client, now_, "site-1")) {
    EXPECT_EQ(remark.level, Remark::Level::Fine) << remark.message;
    EXPECT_EQ(remark.advice, "");
  }
}

TEST_F(OwnCredentials, SayWhatIsMissing) {
  fs::remove(files_.key);
  EXPECT_EQ(
      complaint(),
      "key: cannot read client.key: No such file or directory; it came with the start-up folder; ask the operator "
      "if it is lost");
  folder_.write("client.crt", "something else");
  EXPECT_TRUE(write_private_file(files_.key, "something else"));
  EXPECT_EQ(complaint().find("certificate: client.crt: not a certificate in PEM"), 0U) << complaint();
}

TEST_F(OwnCredentials, SayWhenTheyHoldNoLonger) {
  put(*authority_.issue_client("site-1", {now_ - days(400), now_ - days(35)}));

  EXPECT_EQ(complaint(), "certificate: of 'site-1' expired on " + moment_text(now_ - days(35)) +
                             "; ask the operator for a renewal (fedrk provision DIR --renew site-1)");
}

TEST_F(OwnCredentials, PointAtTheClockWhereTheyDoNotHoldYet) {
  put(*authority_.issue_client("site-1", {now_ + days(2), now_ + days(35)}));

  EXPECT_EQ(complaint(), "certificate: of 'site-1' is not valid before " + moment_text(now_ + days(2)) +
                             ", and here it is " + moment_text(now_) + "; look at this machine's clock");
}

TEST_F(OwnCredentials, WarnInTime) {
  put(*authority_.issue_client("site-1", {now_ - days(300), now_ + days(13)}));

  const auto remarks = look_at_own(files_, Role::Client, now_);

  EXPECT_EQ(complaint(), "");
  EXPECT_EQ(remarks[0].level, Remark::Level::Warning);
  EXPECT_NE(remarks[0].message.find("13 days from now"), std::string::npos) << remarks[0].message;
}

TEST_F(OwnCredentials, NoticeAKeyOfSomebodyElse) {
  EXPECT_TRUE(write_private_file(files_.key, authority_.issue_client("site-1", valid_for_days(now_, 1))->key));

  EXPECT_EQ(
      complaint(),
      "key: client.key does not belong to client.crt; take both from the same start-up folder; after a renewal both "
      "are new");
}

TEST_F(OwnCredentials, NoticeAnotherFederation) {
  const Authority other = *Authority::make(valid_for_days(now_, 10));
  folder_.write("ca.crt", other.identity().certificate);

  const auto name = [](const Authority& authority) {
    return read_certificate(authority.identity().certificate)->common_name;
  };
  EXPECT_EQ(complaint(), "ca: client.crt was issued by '" + name(authority_) + "', but ca.crt is '" + name(other) +
                             "'; take both from the same federation");
}

TEST_F(OwnCredentials, NoticeTheWrongRole) {
  EXPECT_EQ(complaint(Role::Server),
            "certificate: client.crt is the certificate of client 'site-1', not a server's; use the server.crt file of "
            "this start-up folder");
  put(*authority_.issue_server({"localhost"}, valid_for_days(now_, 30)));
  EXPECT_EQ(complaint(),
            "certificate: client.crt is the server's certificate, not a client's; use the client.crt file of this "
            "start-up folder");
  put(authority_.identity());
  EXPECT_EQ(complaint().find("certificate: client.crt is the authority's certificate, not a client's"), 0U);
}

TEST_F(OwnCredentials, NoticeAnotherName) {
  const auto remarks = look_at_own(files_, Role::Client, now_, "site-2");

  EXPECT_EQ(remarks[1].level, Remark::Level::Bad);
  EXPECT_EQ(folder_.local(remarks[1].message), "client.crt is that of 'site-1', but this is 'site-2'");
}

TEST_F(OwnCredentials, WarnOfAKeyThatOthersCanRead) {
  fs::permissions(files_.key, fs::perms(0640));

  const auto remarks = look_at_own(files_, Role::Client, now_);

  EXPECT_EQ(complaint(), "") << "a warning is no error";
  EXPECT_EQ(remarks[1].level, Remark::Level::Warning);
  EXPECT_EQ(folder_.local(remarks[1].advice), "chmod 600 client.key");
}

TEST(PrivateFile, IsReadableByItsOwnerOnlyWhateverTheUmask) {
  const test::TempFolder folder;
  const mode_t before = ::umask(0);

  EXPECT_TRUE(write_private_file(folder / "key", "secret"));
  EXPECT_TRUE(write_private_file(folder / "key", "another")) << "replaces";
  EXPECT_TRUE(make_private_folder(folder / "site"));
  ::umask(before);

  EXPECT_EQ(folder.read("key"), "another");
  EXPECT_EQ(fs::status(folder / "key").permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(folder / "site").permissions(), fs::perms(0700));
  EXPECT_EQ(folder.count(), 2U) << "no temporary stayed behind";
  EXPECT_FALSE(make_private_folder(folder / "site"));
  EXPECT_FALSE(write_private_file(folder / "missing/key", "secret"));
}

}  // namespace
}  // namespace fedrk::security
