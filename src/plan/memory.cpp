// SPDX-License-Identifier: Apache-2.0
#include "plan/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace fedrk::io {
namespace {

std::optional<double> number_in(const char* path) {
  std::ifstream in(path);
  double value = 0.0;
  if (in >> value) return value;
  return std::nullopt;  // not there, or "max"
}

// The number behind a word in a file of such pairs.
std::optional<double> number_after(std::string_view word, const char* path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(word)) continue;
    std::istringstream rest(line.substr(word.size()));
    double value = 0.0;
    if (rest >> value) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> available_memory() {
  const auto kilobytes = number_after("MemAvailable:", "/proc/meminfo");
  std::optional<double> available;
  if (kilobytes) available = 1024.0 * *kilobytes;
  const auto limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return available;
  const double cache =
      number_after("inactive_file ", "/sys/fs/cgroup/memory.stat").value_or(0.0);  // given back on demand
  return std::min(available.value_or(*limit), std::max(0.0, *limit - *used + cache));
}

std::string memory_complaint(std::size_t rows, std::size_t cols, double available) {
  // The matrix is held once; the rest is vectors.
  const double needed = 1.02 * static_cast<double>(rows) * static_cast<double>(cols) * sizeof(double);
  if (needed <= available) return "";
  const double fitting = std::sqrt(0.8 * available / needed);
  return fmt::format("the matrix of {}x{} needs {:.1f} GB and {:.1f} GB are free; --scale {:.2f} would fit", rows, cols,
                     needed / 1e9, available / 1e9, std::floor(100.0 * fitting) / 100.0);
}

Result<void> check_memory(const Plan& plan, std::size_t unknowns, std::size_t clients) {
  const std::size_t asked = plan.run.participants == 0 ? clients : std::min(clients, plan.run.participants);
  if (unknowns > std::numeric_limits<std::uint32_t>::max())
    return Error{fmt::format("{} unknowns: at most 2^32 - 1", unknowns)};
  const double needed = static_cast<double>(unknowns) * static_cast<double>(asked + 4) * sizeof(double);
  const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed <= there) return {};
  return Error{fmt::format("{} unknowns: the vectors of a round need {:.0f} GB, this machine has {:.0f} GB", unknowns,
                           needed / 1e9, there / 1e9)};
}

}  // namespace fedrk::io
