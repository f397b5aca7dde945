// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "api/attack.hpp"

namespace fedrk::app {

std::string attack_text(const api::AttackFindings& findings);
nlohmann::ordered_json attack_json(const api::AttackFindings& findings);

}  // namespace fedrk::app
