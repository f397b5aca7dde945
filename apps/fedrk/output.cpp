// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace fedrk::app {
namespace {

bool quiet = false;

}  // namespace

void keep_quiet() { quiet = true; }

void say(std::string_view text) {
  if (quiet || text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool print_result(std::string_view text) {
  if (quiet) return true;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) say(fmt::format("fedrk: cannot write to standard output: {}\n", std::strerror(errno)));
  return written;
}

int complain(std::string_view message, int exit_code) {
  say(fmt::format("fedrk: {}\n", message));
  return exit_code;
}

}  // namespace fedrk::app
