// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plan gives away, and to whom, in words.

#include <cstddef>
#include <string>

#include "fedrk/io/plan.hpp"

namespace fedrk::app {

/// What a server that keeps what it is sent could learn.
std::string revealed_to_server(const io::Plan& plan, std::size_t clients);

/// What a client that keeps what it is sent could learn of the others.
std::string revealed_to_clients(const io::Plan& plan, std::size_t clients);

}  // namespace fedrk::app
