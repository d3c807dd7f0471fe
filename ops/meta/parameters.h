// SPDX-License-Identifier: Apache-2.0
// Long lists of parameters, by their names.
#pragma once

#include <vector>

#include "ops/meta/operator.h"

namespace aclgrad::ops {

// Of a function whose inputs come first, then its attributes, and its outputs last.
inline std::vector<Parameter> parameters(const std::vector<const char*>& inputs,
                                         const std::vector<const char*>& attributes,
                                         const std::vector<const char*>& outputs) {
  std::vector<Parameter> all;
  for (const char* name : inputs) all.push_back(input(name));
  for (const char* name : attributes) all.push_back(attribute(name));
  for (const char* name : outputs) all.push_back(output(name));
  return all;
}

}  // namespace aclgrad::ops
