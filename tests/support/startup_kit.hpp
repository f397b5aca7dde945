// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a federation needs before it can start: rows split over sites, start-up folders with keys, and the solution
// that `fedrk solve` or `fedrk fit` finds for the same files and plan. Made once; each federation of a test copies it.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_folder.hpp"

namespace fedrk::test {

/// Entries of a client.toml for tables of a few rows, in file order, and many questions.
inline constexpr const char* kUnlimited = "min-rows = 0\nmax-share = 1e9\nexpose-rows = true\n";

struct KitSpec {
  std::filesystem::path table{};        // CSV with a header, to be split; or
  std::vector<std::string> generate{};  // what fedrk generate makes, a matrix for each client
  std::string plan;                     // entries of a plan, without data
  std::size_t clients = 4;
  bool masked = false;                             // the clients' draws are their own, and the server sees sums only
  std::string rules{};                             // entries of every client.toml: what the owners allow
  std::vector<std::string> hosts = {"127.0.0.1"};  // the names and addresses that clients may call the server by
};

/// A CSV file in contiguous shares, sized as `fedrk solve --clients` does it; each with the header.
std::vector<std::string> split_table(const std::filesystem::path& table, std::size_t shares);

/// Puts entries into a settings file, each a line of TOML, in place of those of the same names.
void put_entries(const std::filesystem::path& file, const std::string& entries);

class StartupKit {
 public:
  /// Throws where a command fails.
  explicit StartupKit(const KitSpec& spec);

  /// Holds server/, site-1/, site-2/, ...
  std::filesystem::path folder() const { return folder_ / "federation"; }
  std::size_t clients() const { return clients_; }

  /// Where `fedrk solve` left its run.
  std::filesystem::path one_process() const { return folder_ / "expected"; }
  /// The bytes of its solution.csv, and its exit code: 0, or 3 where the rounds ended before the tolerance was met.
  const std::string& expected() const { return expected_; }
  int code() const { return code_; }
  bool masked() const { return masked_; }

 private:
  void share_table(const std::filesystem::path& table) const;
  void share_matrices(std::vector<std::string> generate) const;

  TempFolder folder_;
  std::size_t clients_;
  bool masked_;
  std::string expected_;
  int code_ = 0;
};

/// How far two solution.csv are apart: the largest difference of a coefficient, over the largest coefficient. Infinite
/// where they are not of the same names.
double distance_of_solutions(const std::string& one, const std::string& two);

/// "site-1" for 0.
std::string site_name(std::size_t client);

}  // namespace fedrk::test
