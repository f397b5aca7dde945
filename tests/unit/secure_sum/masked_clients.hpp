// SPDX-License-Identifier: Apache-2.0
#pragma once

// Four clients of masked runs, and what is asked of them.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/kernels.hpp"
#include "support/masked_fixture.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::network {

using test::MaskedFixture;
using test::places;

constexpr std::size_t kUnknowns = 12;

inline std::vector<Client> four_clients(std::uint64_t seed = 1) {
  return test::clients_of(generate({.rows = 32, .cols = kUnknowns, .seed = seed}).system, 4, seed);
}

inline const std::vector<ClientId> kAll = places({0, 1, 2, 3}), kWithoutLast = places({0, 1, 2});

inline LocalTask cut_steps(std::span<const double> x, StepBudget budget = FixedSteps{20}) {
  LocalTask task{RoundIndex{0}, x, CutSteps{budget}};
  task.reveal = Reveal::Sums;
  return task;
}

inline wire::MaskingGroup masking_group_message(wire::MaskingGroup masking_group, std::uint32_t place) {
  masking_group.place = place;
  return masking_group;
}

inline double length(std::span<const double> values) { return std::sqrt(squared_norm(values)); }

class MaskedClientRules : public testing::Test {
 protected:
  MaskedClientRules() { fixture_.distribute_keys(); }
  std::string refusal(const wire::Task& task, std::size_t client = 0) {
    return test::reason_in(fixture_.ask(client, task));
  }

  std::vector<double> x_ = std::vector<double>(kUnknowns, 0.25);
  LocalTask steps_ = cut_steps(x_);
  MaskedFixture fixture_{four_clients()};
  test::NoLog log_;
};

}  // namespace fedrk::network
