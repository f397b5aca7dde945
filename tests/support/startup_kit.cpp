// SPDX-License-Identifier: Apache-2.0
#include "support/startup_kit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>

#include "problem/partition.hpp"
#include "support/process.hpp"

namespace fedrk::test {
namespace {

// Its exit code, which is 3 for a run that did not converge.
int run_or_throw(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  const Outcome ended = run_command(arguments, std::chrono::seconds(60), folder);
  if (ended.exit_code == 0 || ended.exit_code == 3) return ended.exit_code;
  throw std::runtime_error("fedrk " + arguments.at(1) + " failed: " + ended.err + ended.out);
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

void put_entries(const std::filesystem::path& file, const std::string& entries) {
  const auto name_of = [](const std::string& line) { return line.substr(0, line.find(" =")); };
  std::set<std::string> names;
  std::istringstream added(entries);
  for (std::string line; std::getline(added, line);) names.insert(name_of(line));
  std::string text;
  {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      if (!names.contains(name_of(line))) text += line + '\n';
    }
  }
  std::ofstream(file) << text << entries;
}

double distance_of_solutions(const std::string& one, const std::string& two) {
  constexpr double kApart = std::numeric_limits<double>::infinity();
  std::istringstream first(one), second(two);
  double largest = 0.0, apart = 0.0;
  std::string a, b;
  while (std::getline(first, a)) {
    if (!std::getline(second, b)) return kApart;
    const std::size_t comma = a.find(',');
    if (comma == std::string::npos || a.substr(0, comma) != b.substr(0, comma)) return kApart;
    const double here = std::strtod(a.c_str() + comma + 1, nullptr),
                 there = std::strtod(b.c_str() + comma + 1, nullptr);
    largest = std::max(largest, std::abs(here));
    apart = std::max(apart, std::abs(here - there));
  }
  return largest > 0.0 && !std::getline(second, b) ? apart / largest : kApart;
}

StartupKit::StartupKit(const KitSpec& spec) : clients_(spec.clients), masked_(spec.masked) {
  const std::filesystem::path& here = folder_.path();
  const bool matrices = !spec.generate.empty();
  folder_.write("plan.toml", spec.plan);
  std::vector<std::string> provision = {FEDRK_PROGRAM, "provision", "federation", "--plan", "plan.toml"};
  if (!masked_) provision.insert(provision.end(), {"--draws", "plan"});
  const bool fit = spec.plan.find("goal = \"fit\"") != std::string::npos;
  std::vector<std::string> solve = {FEDRK_PROGRAM, fit ? "fit" : "solve", "plan.toml", "--out",
                                    "expected",    "--progress",          "none"};
  for (const std::string& host : spec.hosts) provision.insert(provision.end(), {"--host", host});
  for (std::size_t i = 0; i < clients_; ++i) {
    provision.insert(provision.end(), {"--name", site_name(i)});
    const std::string own = "own/" + site_name(i);  // a client's draws come from its name, here the file's
    if (matrices) solve.insert(solve.end(), {"--matrix", own + ".npy", "--rhs", own + "-b.npy"});
    if (!matrices) solve.insert(solve.end(), {"--data", own + ".csv"});
  }
  run_or_throw(provision, here);
  std::filesystem::create_directory(here / "own");
  for (std::size_t i = 0; i < clients_; ++i) put_entries(folder() / site_name(i) / "client.toml", spec.rules);
  matrices ? share_matrices(spec.generate) : share_table(spec.table);
  code_ = run_or_throw(solve, here);
  expected_ = folder_.read("expected/solution.csv");
}

void StartupKit::share_table(const std::filesystem::path& table) const {
  const auto shares = split_table(table, clients_);
  for (std::size_t i = 0; i < clients_; ++i) {
    folder_.write("federation/" + site_name(i) + "/data.csv", shares[i]);
    folder_.write("own/" + site_name(i) + ".csv", shares[i]);
  }
}

void StartupKit::share_matrices(std::vector<std::string> generate) const {
  const std::filesystem::path& here = folder_.path();
  generate.insert(generate.begin(), {FEDRK_PROGRAM, "generate"});
  generate.insert(generate.end(), {"--clients", std::to_string(clients_), "--out", "made"});
  run_or_throw(generate, here);
  std::vector<std::filesystem::path> made;
  for (const auto& entry : std::filesystem::directory_iterator(here / "made")) {
    if (entry.path().filename().string().starts_with("client-")) made.push_back(entry.path());
  }
  std::ranges::sort(made);  // client-01-A.npy, client-01-b.npy, ...
  for (std::size_t i = 0; i < clients_; ++i) {
    const std::string site = "federation/" + site_name(i), own = "own/" + site_name(i);
    std::filesystem::copy(made.at(2 * i), here / (own + ".npy"));
    std::filesystem::copy(made.at(2 * i + 1), here / (own + "-b.npy"));
    std::filesystem::rename(made.at(2 * i), here / site / "A.npy");
    std::filesystem::rename(made.at(2 * i + 1), here / site / "b.npy");
    std::string settings = folder_.read(site + "/client.toml");
    const std::size_t at = settings.find("data = ");
    settings.replace(at, settings.find('\n', at) - at, "matrix = \"A.npy\"\nrhs = \"b.npy\"");
    folder_.write(site + "/client.toml", settings);
  }
}

}  // namespace fedrk::test
