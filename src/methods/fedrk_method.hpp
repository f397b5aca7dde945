// SPDX-License-Identifier: Apache-2.0
#pragma once

// FedRK as in the paper: the server reads each Delta_i as a hyperplane, drops every Delta_i = 0, makes tau_g steps over
// the others from x^(t), and where asked keeps only the s largest entries.

#include <cstddef>
#include <cstdint>

#include "fedrk/method.hpp"
#include "round/server_step.hpp"

namespace fedrk {

struct RunOptions;

class FedrkMethod final : public Method {
 public:
  explicit FedrkMethod(const RunOptions& options);

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  std::string_view name() const override { return "fedrk"; }
  bool state(StateStream&) override { return true; }  // all of it is x

 private:
  std::uint64_t seed_;
  LocalWork work_;
  ServerStep server_;
  Threshold threshold_;
  std::size_t noise_columns_;
};

}  // namespace fedrk
