// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run of a plan would do, and what it would give away and to whom, in words, before it does it.

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/survey.hpp"
#include "plan/federation.hpp"
#include "plan/plan.hpp"

namespace fedrk::api {

/// Whether a fit by this plan is one sum of cross-products; else it is made of products, by conjugate gradients.
bool is_gram_fit(const io::Plan& plan, std::size_t unknowns);

/// In how many groups the clients are asked, each of about as many as take part in a round; they are kept for the run.
std::size_t kept_groups(const io::Plan& plan, std::size_t clients);

/// What a server that keeps what it is sent could learn.
std::string revealed_to_server(const io::Plan& plan, std::size_t clients, std::size_t unknowns);

/// What a client that keeps what it is sent could learn of the others.
std::string revealed_to_clients(const io::Plan& plan, std::size_t clients, std::size_t unknowns);

struct ProblemSize {
  std::size_t rows, unknowns, clients;
};

/// The forecast of the error under differential privacy, or why the plan would be refused; empty for other plans.
std::string forecast_text(const io::Plan& plan, const io::Federation& federation);

/// The method that would run, as far as the equations tell it beforehand. `forecast` as above.
std::string method_text(const io::Plan& plan, const ProblemSize& size, const std::optional<SpectrumSurvey>& spectrum,
                        const std::string& forecast);

}  // namespace fedrk::api
