// SPDX-License-Identifier: Apache-2.0
// Layers from their descriptions.
#pragma once

#include <map>
#include <string>

#include "tests/training/models/spec.h"

namespace aclgrad::training {

/// Parts of a model by the names of their descriptions.
using Parts = std::map<std::string, Module>;

/// Appends the layers that are described. `in` is what they get, two examples of it; `tokens` says
/// that these are indices. Returns the shape of what they give. Throws what the library throws, and
/// ValueError for a description of none.
Shape add_layers(Sequential& to, const Json& layers, const Shape& in, bool tokens, Parts& parts);

}  // namespace aclgrad::training
