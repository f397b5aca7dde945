// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the sums that a client took part in have shown of its tables, over all runs: which records they were over, with
// whom they were added up, and how many directions of the span of the rows they told. The rules that follow from it are
// in secure_sum/disclosure.hpp. Nothing of a value can be read here: records are numbers that depend on a secret salt.

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"

namespace fedrk::store {

/// Of one table in all the versions in which it was used.
struct Disclosed {
  /// Its records at the time, as numbers that depend on their values in these columns: sorted.
  struct Version {
    std::vector<std::string> columns{};
    std::vector<std::uint64_t> records{};
    static constexpr auto fields(auto& self) { return std::tie(self.columns, self.records); }
  };
  /// A run: the columns it was about, and the sets of clients over which there were sums.
  struct Company {
    std::vector<std::string> columns{};
    std::vector<std::vector<std::string>> sums{};
    static constexpr auto fields(auto& self) { return std::tie(self.columns, self.sums); }
  };
  /// Columns whose products with each other are known of a sum over these clients.
  struct Products {
    std::vector<std::string> clients{}, columns{};  // sorted
    static constexpr auto fields(auto& self) { return std::tie(self.clients, self.columns); }
  };
  std::vector<Version> versions{};
  std::vector<Company> companies{};
  std::vector<Products> products{};
  static constexpr auto fields(auto& self) { return std::tie(self.versions, self.companies, self.products); }
};

/// Of the same table: further vectors that are combinations of its rows and others', and numbers.
struct DisclosedCounts {
  std::uint64_t vectors = 0, scalars = 0;
};

class DisclosureLedger {
 public:
  virtual ~DisclosureLedger() = default;

  /// 64 random bits, always the same.
  virtual Result<std::uint64_t> salt() = 0;

  struct Entry {
    std::uint64_t id = 0;
    Disclosed what{};
    DisclosedCounts counts{};
  };
  virtual Result<std::vector<Entry>> entries() = 0;
  /// A new entry, with nothing counted.
  virtual Result<std::uint64_t> add(const Disclosed& what) = 0;
  virtual Result<void> replace(std::uint64_t id, const Disclosed& what) = 0;
  /// The counts with these added to them, written before it returns.
  virtual Result<DisclosedCounts> count(std::uint64_t id, DisclosedCounts more) = 0;
};

/// For as long as the process lives.
std::unique_ptr<DisclosureLedger> disclosures_in_memory();

}  // namespace fedrk::store
