// SPDX-License-Identifier: Apache-2.0
// A case of numbers.json, and what we compute for it, in float64.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aclgrad/aclgrad.h"

namespace aclgrad::pytorch {

using Json = nlohmann::ordered_json;
using Values = std::vector<Value>;

/// A case by its name. Throws where there is none.
const Json& numbers_of(const std::string& name);

/// Floating tensors as float64, whole numbers as int64.
Tensor tensor_of(const Json& numbers);

/// Records results from the case's inputs, and compares them and their gradients with PyTorch's.
/// Parameters of the case are loaded into the module, under its path, and their gradients compared.
void expect_as_in_pytorch(const std::string& name,
                          const std::function<Values(const Values&)>& record,
                          const Module& module = Module());

}  // namespace aclgrad::pytorch
