// SPDX-License-Identifier: Apache-2.0
#pragma once

// The same problem by several methods, counted alike: rounds, bytes, operations, time, and how near they came.
//
// Where a sparse answer is asked for (s > 0), every method is judged by its s largest entries, whether it keeps only
// these itself or not.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/contenders.hpp"
#include "fedrk/run.hpp"
#include "fedrk/stop_signal.hpp"

namespace fedrk {

/// What the cost of a client's work depends on.
struct ClientShape {
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
};

struct ComparisonOptions {
  RunOptions run;
  double target = 1e-6;           // of the relative error to `reference`
  std::vector<double> reference;  // x*, or what a direct solver finds; empty: the target is one of the residual
  std::vector<double> start;      // empty: zero
};

struct Outcome {
  std::string name, label, server_sees, about, note;  // of the contender
  std::vector<std::string> remarks;                   // of the method on its run, a sentence each
  std::size_t participants = 0;
  bool reached = false;                     // the target
  bool ended = false;                       // by itself, such as a one-shot method
  bool diverged = false;                    // x left the range of numbers, or is far worse than zero
  std::string refused;                      // why replies could not be used, where some could not
  std::size_t rounds = 0;                   // to the target, or all that were made
  double bytes_up = 0.0, bytes_down = 0.0;  // of a client, on average, in all rounds
  std::optional<double> flops;              // likewise; none where the work is not the clients'
  double seconds = 0.0;                     // in this process, without the search for a step size
  std::optional<double> error, residual;    // relative, at the end
  std::vector<std::size_t> support;         // where s was asked for: see `compete`
  std::vector<double> errors;               // after every round; empty without reference
};

/// Runs the contender to the target, or to the last round. What only measures is not in the counts. The support are the
/// s largest entries at the end, or, of a method that keeps only s, those kept most often.
Outcome compete(const Contender& contender, Engine& engine, std::span<const ClientShape> shapes,
                const ComparisonOptions& options, const StopSignal* stop = nullptr, RoundObserver* observer = nullptr);

/// ||b - A x|| / ||b|| over all clients, each of whom is asked for its part. Nothing where one does not answer.
std::optional<double> measure_residual(Engine& engine, std::span<const double> x);

enum class SortBy { Rounds, BytesUp, Bytes, Flops, Seconds, Error };

/// Those that reached the target first, by what is asked; then the others by their error, or residual, as the cost of
/// not arriving says nothing. Ties keep their order.
void sort_outcomes(std::vector<Outcome>& outcomes, SortBy by);

}  // namespace fedrk
