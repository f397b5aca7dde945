// SPDX-License-Identifier: Apache-2.0
#include "support/startup_kit.hpp"

#include <fstream>
#include <stdexcept>

#include "fedrk/problem/partition.hpp"
#include "support/process.hpp"

namespace fedrk::test {
namespace {

void run_or_throw(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  const Outcome ended = run_command(words, std::chrono::seconds(60), folder);
  if (ended.exit_code == 0) return;
  throw std::runtime_error("fedrk " + words.at(1) + " failed: " + ended.err + ended.out);
}

}  // namespace

std::string site_name(std::size_t client) { return "site-" + std::to_string(client + 1); }

std::vector<std::string> split_table(const std::filesystem::path& table, std::size_t shares) {
  std::ifstream in(table);
  std::string header;
  std::getline(in, header);
  std::vector<std::string> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) rows.push_back(line);
  }
  std::vector<std::string> files;
  std::size_t row = 0;
  for (const std::size_t count : partition_contiguous(rows.size(), shares).counts) {
    std::string& file = files.emplace_back(header + "\n");
    for (const std::size_t end = row + count; row < end; ++row) file += rows[row] + "\n";
  }
  return files;
}

StartupKit::StartupKit(const KitSpec& spec) : clients_(spec.clients) {
  const std::filesystem::path& here = folder_.path();
  folder_.write("plan.toml", spec.plan);
  std::vector<std::string> provision = {FEDRK_PROGRAM, "provision", "federation", "--plan",
                                        "plan.toml",   "--draws",   "plan"};
  std::vector<std::string> solve = {FEDRK_PROGRAM, "solve", "plan.toml", "--out", "expected", "--progress", "none"};
  for (const std::string& host : spec.hosts) provision.insert(provision.end(), {"--host", host});
  for (std::size_t i = 0; i < clients_; ++i) {
    provision.insert(provision.end(), {"--name", site_name(i)});
    solve.insert(solve.end(), {"--data", "tables/" + site_name(i) + ".csv"});
  }
  run_or_throw(provision, here);
  const auto shares = split_table(spec.table, clients_);
  std::filesystem::create_directory(here / "tables");
  for (std::size_t i = 0; i < clients_; ++i) {
    folder_.write("federation/" + site_name(i) + "/data.csv", shares[i]);
    folder_.write("tables/" + site_name(i) + ".csv", shares[i]);  // a client's draws come from its name
  }
  run_or_throw(solve, here);
  expected_ = folder_.read("expected/solution.csv");
}

}  // namespace fedrk::test
