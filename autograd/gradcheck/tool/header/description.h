// SPDX-License-Identifier: Apache-2.0
// What is said beside a header: what names and types do not tell, and no call can show.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "gradcheck/tool/header/prototype.h"

namespace aclgrad::gradcheck {

/// What an array's numbers are drawn from, and whether there may be others far out.
struct Range {
  double low, high;
  bool unbounded_below, unbounded_above;
};

/// By names of parameters; in roles "backward.x" for the backward's alone, where both functions
/// have one.
struct Description {
  static constexpr const char* kGradients = "gradients";  // a name for all of them

  std::map<std::string, std::string> values;  // of numbers; of arrays, elements: "8", "rows*width"
  std::map<std::string, std::pair<double, double>> ranges;  // of arrays; ends may be infinite
  std::map<std::string, std::string> roles;  // "gradient x added"; of all gradients "added"

  /// A line of a file: "set n 8", "range x 0.1 4", "role delta gradient x". Empty lines and those
  /// that begin with # say nothing. Throws ValueError.
  void add(const std::string& line);

  /// Of an array of which nothing is said from -2 to 2; of one of whole numbers 0 and 1.
  Range range(const CParameter& array) const;

  std::optional<std::string> role(const std::string& name, bool of_backward) const;
};

}  // namespace aclgrad::gradcheck
