// SPDX-License-Identifier: Apache-2.0
#pragma once

// How documents are written: keys in their order, no number that is not finite, no text that is not UTF-8.

#include <cmath>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace fedrk::io {

using Json = nlohmann::ordered_json;

inline Json number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

/// Names come from data files in whatever encoding: what is not UTF-8 is replaced, not refused.
inline std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fedrk::io
