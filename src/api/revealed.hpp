// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plan gives away, and to whom, in words.

#include <cstddef>
#include <string>

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

}  // namespace fedrk::api
