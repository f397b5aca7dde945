// SPDX-License-Identifier: Apache-2.0
#pragma once

// fedrk_mpi under its launcher, as a user starts it, also as root and on fewer cores than ranks.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "support/program.hpp"

namespace fedrk::test {

inline std::string mpi_command(std::size_t ranks, const std::string& arguments, const std::string& wrapper = "") {
  return "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
         "OMPI_MCA_mpi_yield_when_idle=1 timeout -k 5 60 '" FEDRK_LAUNCHER "' -n " +
         std::to_string(ranks) + " " + wrapper + " '" FEDRK_MPI_PROGRAM "' " + arguments;
}

/// The processes that this one started, and those that these started, and so on.
inline std::vector<pid_t> offspring(pid_t parent) {
  std::vector<pid_t> all;
  const std::string id = std::to_string(parent);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  for (pid_t child = 0; children >> child;) {
    all.push_back(child);
    const auto theirs = offspring(child);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  return all;
}

/// Those of them that are ranks.
inline std::vector<pid_t> ranks_of(pid_t launcher) {
  std::vector<pid_t> ranks = offspring(launcher);
  std::erase_if(ranks, [](pid_t id) {
    std::error_code gone;
    return std::filesystem::read_symlink("/proc/" + std::to_string(id) + "/exe", gone) != FEDRK_MPI_PROGRAM;
  });
  return ranks;
}

}  // namespace fedrk::test
