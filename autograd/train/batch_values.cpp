// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "aclgrad/error.h"
#include "aclgrad/loss_function.h"

namespace aclgrad {

const Value& BatchValues::operator[](std::string_view name) const {
  const auto found = parts_.find(name);
  if (found != parts_.end()) return found->second;
  std::string names;
  for (const auto& [known, value] : parts_) {
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", known);
  }
  throw ValueError(fmt::format("the examples have no `{}`, only {}{}", name, names,
                               name == "labels" ? ": a loss without labels is a function of one "
                                                  "value, [&](const Value& x) { ... }"
                                                : ""));
}

}  // namespace aclgrad
