// SPDX-License-Identifier: Apache-2.0
#include "generator_flags.hpp"

#include <CLI/CLI.hpp>

namespace fedrk::app {

const std::map<std::string, ProblemKind> kProblemKinds{{"gaussian", ProblemKind::Gaussian},
                                                       {"sparse", ProblemKind::Sparse},
                                                       {"inconsistent", ProblemKind::Inconsistent},
                                                       {"heterogeneous", ProblemKind::Heterogeneous}};

const char* const kProblemKindHelp =
    "gaussian: A and x* standard Gaussian, b = A x*\n"
    "sparse: few entries of x* are not zero, b is noisy\n"
    "inconsistent: b is noise\n"
    "heterogeneous: each client has twice the rows of the one before, on a larger scale";

void add_generator_flags(CLI::App& command, GeneratorOptions& problem, const std::string& group) {
  command.add_option("--rows", problem.rows, "rows of all clients (heterogeneous: of the first)")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command.add_option("--cols", problem.cols, "number of unknowns")->type_name("N")->capture_default_str()->group(group);
  command.add_option("--nonzeros", problem.nonzeros, "non-zero entries of the solution (sparse)")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command.add_option("--noise", problem.noise, "standard deviation of the noise on b")
      ->type_name("SIGMA")
      ->default_str("0; sparse: 0.01")
      ->group(group);
  command.add_option("--density", problem.density, "share of non-zeros in a row of A")
      ->type_name("P")
      ->capture_default_str()
      ->group(group);
}

void set_default_noise(const CLI::App& command, GeneratorOptions& problem) {
  if (problem.kind == ProblemKind::Sparse && command.count("--noise") == 0) problem.noise = 0.01;
}

}  // namespace fedrk::app
