// SPDX-License-Identifier: Apache-2.0
// Backwards whose parameter outputMask says which of three outputs are written.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ops/meta/rules.h"

namespace aclgrad::ops {

struct OutputMask {
  size_t parameter;
  size_t first;  // of the outputs, which follow each other

  bool wants(const Arguments& arguments, size_t output) const {
    return arguments.bool_array(parameter)[output - first] != 0;
  }
  // The output, where it is asked for.
  std::optional<size_t> wanted(const Arguments& arguments, size_t output) const {
    return wants(arguments, output) ? std::optional(output) : std::nullopt;
  }

  Rule has_three_values(aclnnStatus otherwise = kInvalidParameter) const {
    return [mask = *this, otherwise](const Arguments& arguments) -> CheckResult {
      const size_t size = arguments.bool_array(mask.parameter).size();
      if (size == 3) return {};
      return {otherwise, fmt::format("{} must have 3 values, but has {}.",
                                     arguments.name(mask.parameter), size)};
    };
  }
  // Applies a rule only where the output is asked for.
  Rule if_wanted(size_t output, Rule rule) const {
    return when([mask = *this,
                 output](const Arguments& arguments) { return mask.wants(arguments, output); },
                std::move(rule));
  }
  // rule(output) of each that is asked for.
  template <class MakeRule>
  Rules if_wanted(const std::vector<size_t>& outputs, const MakeRule& rule) const {
    return of_each(outputs, [&](size_t output) { return if_wanted(output, rule(output)); });
  }
};

}  // namespace aclgrad::ops
