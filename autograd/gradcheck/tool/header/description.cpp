// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/description.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {
namespace {

// A number, also "inf".
bool read_number(std::istream& words, double& number) {
  std::string word;
  if (!(words >> word)) return false;
  char* end = nullptr;
  number = std::strtod(word.c_str(), &end);
  return *end == '\0' && !std::isnan(number);
}

}  // namespace

void Description::add(const std::string& line) {
  std::istringstream words(line);
  std::string what;
  std::string name;
  if (!(words >> what) || what[0] == '#') return;
  words >> name;
  bool is_good = !name.empty();
  if (what == "set") {
    is_good = is_good && words >> values[name];
  } else if (what == "range") {
    auto& [low, high] = ranges[name];
    is_good = is_good && read_number(words, low) && read_number(words, high) && low <= high &&
              low < INFINITY && high > -INFINITY;  // a range has numbers in it
  } else if (what == "role") {
    std::string& role = roles[name];
    is_good = is_good && std::getline(words >> std::ws, role) && !role.empty();
  } else {
    is_good = false;
  }
  if (is_good) return;
  throw ValueError("'" + line +
                   "' is none of: set NAME VALUE, range NAME LOW HIGH, role NAME ROLE; a value is "
                   "a number, or numbers and names with * between them");
}

Range Description::range(const CParameter& array) const {
  const auto said = ranges.find(array.name);
  if (said == ranges.end()) {
    return array.type.kind == CType::Kind::kWhole ? Range{0, 1, false, false}
                                                  : Range{-2, 2, false, false};
  }
  const auto [low, high] = said->second;
  const bool below = std::isinf(low);
  const bool above = std::isinf(high);
  return {below ? (above ? -4 : std::min(-4.0, high - 8)) : low,
          above ? (below ? 4 : std::max(4.0, low + 8)) : high, below, above};
}

std::optional<std::string> Description::role(const std::string& name, bool of_backward) const {
  for (const std::string& key : {(of_backward ? "backward." : "forward.") + name, name}) {
    if (const auto it = roles.find(key); it != roles.end()) return it->second;
  }
  return std::nullopt;
}

}  // namespace aclgrad::gradcheck
