// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which method a run uses, as a plan writes it: by name, and by what it must or must not do. `goal_of` decides what is
// meant, `make_method` makes it; docs/methods.md explains each.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fedrk/run.hpp"
#include "kaczmarz/local_solver.hpp"
#include "methods/goal.hpp"
#include "methods/gram_method.hpp"
#include "methods/hyperplane_memory.hpp"
#include "methods/privacy_plan.hpp"

namespace fedrk {

enum class HyperplaneKind { Valid, Fedrk };

struct TailBurnIn {
  std::optional<std::uint32_t> rounds{};  // unset: half of all
};

struct MethodOptions {
  MethodName name = MethodName::Auto;
  // What is unset here is chosen by the name and by what else was asked for.
  std::optional<HyperplaneKind> hyperplanes{};
  std::optional<std::size_t> memory{};  // rounds; HyperplaneMemory::kAll
  std::optional<Reveal> reveal{};
  std::size_t memory_limit = std::size_t{1} << 30;  // bytes
  bool fit = false;                                 // data, where nobody expects the equations to hold
  double ridge = 0.0;                               // lambda; 0: no penalty
  bool least_squares = false;
  double soft = 0.0;  // lambda of soft thresholding; 0: none
  bool refit = false;
  std::optional<TailBurnIn> average{};
  privacy::PrivacyOptions privacy{};

  /// Least squares is asked for, with a penalty or without.
  bool fits() const { return fit || least_squares || ridge > 0.0; }

  /// Fits what was selected anew at the end: where that is asked for, and after hard thresholding, whose iterates
  /// hover.
  bool refits(const RunOptions& run) const;

  /// Throws InvalidArgument where the wishes do not go together.
  void validate(const RunOptions& run) const;
};

/// FedRK by its name, or because hard thresholding or noise columns are part of it and nothing else is asked for.
Goal goal_of(const MethodOptions& options, const RunOptions& run);

/// What a fit needs to know of its columns, as the clients agreed on it.
struct FitSetup {
  bool intercept = false;  // the first unknown
  Frame frame{};
  std::vector<double> spread{};        // of each column, where a penalty is on standardised ones
  std::vector<double> column_norms{};  // in the frame
  LinkSpeed link{};
};

/// Whether so many unknowns take one sum of cross-products; else products, by conjugate gradients.
bool is_by_gram(const LeastSquares& goal, std::size_t unknowns, const LinkSpeed& link);

/// REQUIRES: validate() passes.
std::unique_ptr<Method> make_method(const MethodOptions& options, const RunOptions& run, const Engine& engine,
                                    const FitSetup& setup = {});

}  // namespace fedrk
