// SPDX-License-Identifier: Apache-2.0
// The numbers that two functions are called with: those that are said, and for the rest several
// settings, since a gradient may be right with some sizes and modes only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gradcheck/tool/header/description.h"
#include "gradcheck/tool/header/prototype.h"

namespace aclgrad::gradcheck {

/// By name. Arrays whose elements are said have those.
using Numbers = std::map<std::string, double>;

struct Settings {
  std::vector<Numbers> all;             // the likeliest first
  std::vector<std::string> free = {};   // names of numbers that nobody said
  std::vector<std::string> lines = {};  // that say what numbers of the backward alone are
};

/// Numbers of one name are one number; one that the backward alone has is the only one that the
/// forward alone has, or must be said. Throws ValueError for values that are none.
Settings settings_of(const Prototype& forward, const Prototype& backward,
                     const Description& description);

}  // namespace aclgrad::gradcheck
