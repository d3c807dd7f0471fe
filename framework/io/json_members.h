// SPDX-License-Identifier: Apache-2.0
// The members of a JSON object in the order of the text, in time that grows with the text alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace aclgrad::detail {

struct JsonMember {
  std::string name;
  nlohmann::json value;
  std::vector<std::string> keys;  // of the value, where it is an object, in their order
};

/// `problem` says what is wrong with the text, which it calls `what`, where something is: no JSON,
/// no object, nested more deeply than `deepest` objects and arrays within each other, or a key that
/// occurs twice (of which the JSON library would keep the last).
std::vector<JsonMember> json_members(const std::string& text, const char* what, int deepest,
                                     std::string& problem);

}  // namespace aclgrad::detail
