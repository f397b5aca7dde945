// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of JSON Schema that docs/schema uses: type, enum, properties, required, additionalProperties (false) and
// items. Any other keyword that would constrain a value is reported, so a schema cannot ask for more than is checked.

#include <algorithm>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace fedrk::test {

using nlohmann::json;

inline bool has_type(const json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

/// What is wrong with the value, at its place; empty where it obeys.
inline std::string schema_violation(const json& value, const json& schema, const std::string& place = "$") {
  static const std::set<std::string> kKnown{"$schema",    "title",    "description",          "type", "enum",
                                            "properties", "required", "additionalProperties", "items"};
  for (const auto& [keyword, _] : schema.items()) {
    if (!kKnown.contains(keyword)) return place + ": the schema says '" + keyword + "', which is not checked here";
  }
  if (schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end()) {
    return place + ": " + value.dump() + " is none of " + schema["enum"].dump();
  }
  if (schema.contains("type")) {
    const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
    const auto fits = [&](const json& type) { return has_type(value, type.get<std::string>()); };
    if (std::ranges::none_of(types, fits)) return place + ": " + value.dump() + " is no " + types.dump();
  }
  if (value.is_object()) {
    for (const json& key : schema.value("required", json::array())) {
      if (!value.contains(key.get<std::string>())) return place + ": no " + key.dump();
    }
    const json properties = schema.value("properties", json::object());
    for (const auto& [key, member] : value.items()) {
      if (properties.contains(key)) {
        const std::string found = schema_violation(member, properties[key], place + "." + key);
        if (!found.empty()) return found;
      } else if (schema.value("additionalProperties", true) == false) {
        return place + ": '" + key + "' is not in the schema";
      }
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string found = schema_violation(value[i], schema["items"], place + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
  }
  return "";
}

}  // namespace fedrk::test
