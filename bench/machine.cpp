// SPDX-License-Identifier: Apache-2.0
#include "bench/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "linalg/instruction_set.hpp"

namespace fedrk::bench {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string cache(int name) {
  const long bytes = ::sysconf(name);
  return bytes > 0 ? fmt::format("{} KiB", bytes / 1024) : "unknown";
}

std::string kernel() {
  utsname about{};
  return ::uname(&about) == 0 ? fmt::format("{} {}", about.sysname, about.release) : "unknown";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_description() {
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return {{"processor", processor()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"first cache", cache(_SC_LEVEL1_DCACHE_SIZE)},
          {"second cache", cache(_SC_LEVEL2_CACHE_SIZE)},
          {"third cache", cache(_SC_LEVEL3_CACHE_SIZE)},
          {"memory", fmt::format("{:.0f} GiB", memory / 1073741824.0)},
          {"system", kernel()},
          {"compiler", FEDRK_COMPILER},
          {"instruction set", std::string(name_of(instruction_set()))}};
}

}  // namespace fedrk::bench
