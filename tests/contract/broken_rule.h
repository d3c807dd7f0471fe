// SPDX-License-Identifier: Apache-2.0
// Which check of an operator refuses a call, by the list that the library itself has.
#pragma once

#include <optional>
#include <vector>

#include "ops/meta/executor.h"
#include "tests/contract/call.h"

namespace aclgrad::contract {

inline std::vector<ops::Argument> arguments_of(std::span<const Value> values) {
  std::vector<ops::Argument> arguments;
  for (const Value& value : values) {
    arguments.push_back(std::visit([](auto each) { return ops::Argument(each); }, value));
  }
  return arguments;
}

// The first rule of the list that does not hold.
inline std::optional<size_t> broken_rule(const ops::OperatorSpec& spec, Call& call,
                                         const Library& library) {
  const PhaseOneArguments packed(call.row(), call.values(), library.finder());
  const std::vector<ops::Argument> list = arguments_of(packed.values());
  const ops::Arguments arguments(spec, list);
  for (size_t i = 0; i < spec.rules.size(); ++i) {
    if (spec.rules[i](arguments).status != OK) return i;
  }
  return std::nullopt;
}

}  // namespace aclgrad::contract
