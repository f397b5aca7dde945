// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything at once: regression over the tables of several sites (fit.hpp) and linear systems whose rows have several
// owners (solve.hpp).
//
//     std::vector<fedrk::Table> sites = {fedrk::read_csv("a.csv"), fedrk::read_csv("b.csv")};
//     std::cout << fedrk::fit(sites, "lpsa ~ .").summary();
//
// Link fedrk::fedrk.

#include "fedrk/fit.hpp"    // IWYU pragma: export
#include "fedrk/solve.hpp"  // IWYU pragma: export
#include "fedrk/table.hpp"  // IWYU pragma: export
