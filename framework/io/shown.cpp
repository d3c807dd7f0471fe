// SPDX-License-Identifier: Apache-2.0
#include "io/shown.h"

#include <nlohmann/json.hpp>

namespace aclgrad::detail {

std::string shown(std::string_view name) {
  using nlohmann::json;
  std::string text = json(name).dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 76) + "...\"";
  return text;
}

}  // namespace aclgrad::detail
