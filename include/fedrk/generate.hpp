// SPDX-License-Identifier: Apache-2.0
#pragma once

// Synthetic problems with a known answer, the same for the same seed everywhere.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fedrk/system.hpp"

namespace fedrk {

enum class ProblemKind {
  Gaussian,       // A and x* standard Gaussian, b = A x*
  Sparse,         // as Gaussian, but x* has `nonzeros` non-zero entries and b carries noise
  Inconsistent,   // b standard Gaussian and nothing to do with A
  Heterogeneous,  // client i = 1, 2, ... holds twice the rows of the one before, with entries i times standard Gaussian
};

struct GeneratorOptions {
  ProblemKind kind = ProblemKind::Gaussian;
  std::size_t rows = 2048;  // of all clients; for Heterogeneous, of the first client
  std::size_t cols = 1024;
  std::size_t clients = 1;
  std::size_t nonzeros = 9;  // of x*, for Sparse
  double noise = 0.0;        // standard deviation of what is added to b
  double density = 1.0;      // share of non-zeros in each row; below 1 the matrix is sparse
  std::uint64_t seed = 1;

  /// Throws InvalidArgument where no problem fits.
  void validate() const;
};

struct GeneratedProblem {
  LinearSystem system;
  std::vector<double> solution;             // x*; empty for Inconsistent
  std::vector<std::size_t> rows_of_client;  // contiguous shares
};

GeneratedProblem generate(const GeneratorOptions& options);

}  // namespace fedrk
