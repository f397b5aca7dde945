// SPDX-License-Identifier: Apache-2.0
#pragma once

// From the tables of the sites and a formula to the rows of a fit.

#include <vector>

#include "fedrk/table.hpp"
#include "plan/federation.hpp"
#include "problem/formula.hpp"

namespace fedrk::api {

/// The columns of the formula, matched by name, as the rows of one client a site; there is room for the intercept.
/// Throws InvalidData, with all that is wrong, where tables are empty, do not fit the formula or each other, or hold
/// what is no finite number.
io::ClientTables model_rows(const std::vector<Table>& sites, const Formula& formula);

}  // namespace fedrk::api
