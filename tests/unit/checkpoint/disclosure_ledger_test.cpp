// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/disclosure_ledger.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "checkpoint/client_store.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::store {
namespace {

ClientStore store_of_site(const std::filesystem::path& folder) {
  auto store = ClientStore::open(folder);
  if (!store) throw std::runtime_error(store.error().message);
  return *std::move(store);
}

const Disclosed kFirst{.versions = {{{"age", "lpsa"}, {1, 5, 5, 9}}},
                       .companies = {{{"age"}, {{"a", "b", "c"}}}},
                       .products = {{{"a", "b", "c"}, {"age"}}}};

TEST(StoredDisclosures, OutliveTheProcess) {
  const test::TempFolder folder;
  std::uint64_t salt = 0;
  {
    ClientStore store = store_of_site(folder / "state");
    DisclosureLedger& ledger = store.disclosures();
    salt = *ledger.salt();
    EXPECT_EQ(*ledger.add(kFirst), 0);
    EXPECT_EQ(*ledger.add({}), 1);
    EXPECT_EQ(ledger.count(0, {3, 1})->vectors, 3);
    EXPECT_EQ(ledger.count(0, {2, 0})->vectors, 5);
    Disclosed more = kFirst;
    more.products[0].columns.emplace_back("svi");
    ASSERT_TRUE(ledger.replace(0, more));
  }

  ClientStore store = store_of_site(folder / "state");
  DisclosureLedger& ledger = store.disclosures();
  const auto entries = *ledger.entries();

  EXPECT_EQ(*ledger.salt(), salt);
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0].what.versions[0].records, kFirst.versions[0].records);
  EXPECT_EQ(entries[0].what.companies[0].sums, kFirst.companies[0].sums);
  EXPECT_EQ(entries[0].what.products[0].columns, (std::vector<std::string>{"age", "svi"}));
  EXPECT_EQ(entries[0].counts.vectors, 5);
  EXPECT_EQ(entries[0].counts.scalars, 1);
  EXPECT_EQ(entries[1].counts.vectors, 0);
}

// Two sites that kept the same salt could tell each other's records.
TEST(StoredDisclosures, HaveASaltOfTheirOwn) {
  const test::TempFolder folder;
  ClientStore one = store_of_site(folder / "one"), other = store_of_site(folder / "other");

  EXPECT_NE(*one.disclosures().salt(), *other.disclosures().salt());
}

}  // namespace
}  // namespace fedrk::store
