// SPDX-License-Identifier: Apache-2.0
#pragma once

// The methods that a comparison sets side by side, each with what it needs, what it gives away, and how it is made for
// a federation. Those that make several local steps do about the same local work in a round.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fedrk/run.hpp"

namespace fedrk {

struct ReadyMethod {
  std::unique_ptr<Method> method;
  std::string note;  // what was chosen for it, such as a step size; empty: nothing
};

struct Contender {
  std::string name;         // for programs: "fedavg"
  std::string label;        // for people: "FedAvg, 8 gradient steps"
  std::string server_sees;  // in two or three words
  std::string about;        // in a sentence: what it does, what that gives away
  bool needs_everyone = false;
  std::function<ReadyMethod(Engine&)> make;
  double memory = 0.0;            // bytes that it holds at once, besides the clients' own
  bool watches_residual = false;  // it asks the participants for their residuals in every round
};

struct ContenderOptions {
  RunOptions run;                    // seed, participants, tau, tau_g, s: as for FedRK
  double soft = 1.0;                 // the weight of soft thresholding
  std::size_t fixed = 0;             // the first columns (an intercept) are not penalised by the Lasso
  double stored_numbers = 0.0;       // in all clients' rows together; 0: as many as dense rows have
  double pooled_accuracy = 1e-8;     // of the iterative solvers on pooled rows: the relative residual they stop at
  std::uint32_t pilot_rounds = 30;   // of each pilot run that seeks a step size
  const StopSignal* stop = nullptr;  // ends pilots and pooled solvers early
};

/// All of them, FedRK first. Those for sparse answers are there where `run.sparsity` is set.
std::vector<Contender> contenders(const Engine& engine, const ContenderOptions& options);

/// FedAvg with the best step that pilot runs find; `work` says how many gradient steps, and on how many rows each.
ReadyMethod tuned_fedavg(Engine& engine, const ContenderOptions& options, GradientSteps work);

/// FedProx likewise, with the best of four proximal weights.
ReadyMethod tuned_fedprox(Engine& engine, const ContenderOptions& options, GradientSteps work);

/// Gradient steps that cost about as much as the Kaczmarz steps of `budget`, of which one on all rows costs m_i:
/// several such steps, or one on a batch of as many rows as there are Kaczmarz steps. 50 steps for infinitely many.
GradientSteps equal_gradient_steps(const Engine& engine, const StepBudget& budget);

}  // namespace fedrk
