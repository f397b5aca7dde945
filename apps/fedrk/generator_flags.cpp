// SPDX-License-Identifier: Apache-2.0
#include "generator_flags.hpp"

#include "base/number.hpp"
#include "flags.hpp"

namespace fedrk::app {
namespace {

constexpr const char* kKinds =
    "gaussian: A and x* standard Gaussian, b = A x*\n"
    "sparse: few entries of x* are not zero, b is noisy\n"
    "inconsistent: b is noise\n"
    "heterogeneous: each client has twice the rows of the one before, on a larger scale";

}  // namespace

Flag GeneratorFlags::kind_flag(const std::string& name, const std::string& group) {
  const Setter choose = choice<ProblemKind>(problem.kind, {{"gaussian", ProblemKind::Gaussian},
                                                           {"sparse", ProblemKind::Sparse},
                                                           {"inconsistent", ProblemKind::Inconsistent},
                                                           {"heterogeneous", ProblemKind::Heterogeneous}});
  const auto set = [this, choose](const io::OptionValues& values) {
    const auto done = choose(values);
    if (done) kind = values.front();
    if (problem.kind == ProblemKind::Sparse) problem.noise = 0.01;  // as in the paper
    return done;
  };
  return {.name = name, .value = "KIND", .help = kKinds, .set = set, .group = group};
}

std::vector<Flag> GeneratorFlags::sizes(const std::string& group) {
  const auto any = [](double) { return true; };  // generate() says what fits
  std::vector<Flag> flags{
      {"rows", "N", "rows of all clients (heterogeneous: of the first)", whole<std::size_t>(problem.rows, 0),
       std::to_string(problem.rows)},
      {"cols", "N", "number of unknowns", whole<std::size_t>(problem.cols, 0), std::to_string(problem.cols)},
      {"nonzeros", "N", "non-zero entries of the solution (sparse)", whole<std::size_t>(problem.nonzeros, 0),
       std::to_string(problem.nonzeros)},
      {"noise", "SIGMA", "standard deviation of the noise on b", number(problem.noise, "a number", any),
       "0; sparse: 0.01"},
      {"density", "P", "share of non-zeros in a row of A", number(problem.density, "a number", any),
       io::to_text(problem.density)}};
  for (Flag& flag : flags) {
    flag.group = group;
    flag.set = [this, name = flag.name, set = std::move(flag.set)](const io::OptionValues& values) {
      size = name;
      return set(values);
    };
  }
  return flags;
}

}  // namespace fedrk::app
