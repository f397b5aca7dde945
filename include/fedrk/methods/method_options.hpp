// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which method a run uses, as a plan says it: by name, and by what it must or must not do. `make_method` turns that
// into one; docs/methods.md explains each.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fedrk/federated/federated_run.hpp"
#include "fedrk/federated/local_solver.hpp"
#include "fedrk/methods/gram_method.hpp"
#include "fedrk/methods/hyperplane_memory.hpp"
#include "fedrk/privacy/privacy_plan.hpp"

namespace fedrk {

enum class MethodName { Auto, Published, Gram, Cg };
enum class HyperplaneKind { Valid, Published };

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

  /// The answer minimises the squared residual, with a penalty or without.
  bool fits() const { return fit || least_squares || ridge > 0.0; }

  /// Algorithm 1 of the paper, to the letter: by name, or because hard thresholding or noise columns are part of it.
  bool is_published(const RunOptions& run) const;

  /// Fits what was selected anew at the end: where that is asked for, and after hard thresholding, whose iterates
  /// hover.
  bool refits(const RunOptions& run) const;

  /// Knows itself when it has arrived; others end by their rounds, a tolerance, or when the residual falls no further.
  bool ends_by_itself(const RunOptions& run) const;

  /// With hyperplanes, memory and what is revealed as they will be.
  MethodOptions settled(const RunOptions& run) const;

  /// Throws InvalidArgument where the wishes do not go together.
  void validate(const RunOptions& run) const;
};

/// tau for those who leave it open: 20 in the published and the sparse method, as in the paper; else so many that
/// another round of steps would hardly move x, eight passes over the rows, two where they are costly, one with epsilon.
StepBudget usual_local_budget(const MethodOptions& options, const RunOptions& run,
                              std::span<const ClientSummary> roster, std::size_t gram_memory);

/// T for those who leave it open: what suits differential privacy, where that is asked for; a thousand sweeps for a
/// fit; else as RunOptions has it.
std::uint32_t usual_rounds(const MethodOptions& options, const RunOptions& run, std::size_t clients);

/// Rows by squared norm in the published method, shuffled in others.
RowSampling usual_sampling(const MethodOptions& options, const RunOptions& run);

/// What a fit needs to know of its columns, as the clients agreed on it.
struct FitSetup {
  bool intercept = false;  // the first unknown
  Frame frame{};
  std::vector<double> spread{};        // of each column, where a penalty is on standardised ones
  std::vector<double> column_norms{};  // in the frame
  LinkSpeed link{};
};

/// Whether a fit of so many unknowns is one sum of cross-products; else it is made of products, by conjugate gradients.
bool fits_by_gram(const MethodOptions& options, std::size_t unknowns, const LinkSpeed& link);

/// REQUIRES: validate() passes.
std::unique_ptr<Method> make_method(const MethodOptions& options, const RunOptions& run, const Engine& engine,
                                    const FitSetup& setup = {});

/// `run` as this method wants it: no end by stagnation for those who know themselves when they have arrived, and,
/// unless somebody said otherwise, residuals in every round for those who watch them. With differential privacy no
/// residuals at all.
RunOptions run_options_for(const MethodOptions& options, RunOptions run);

}  // namespace fedrk
