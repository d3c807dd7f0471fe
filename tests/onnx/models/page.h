// SPDX-License-Identifier: Apache-2.0
// What a run of the models found, as a page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/onnx/models/trial.h"

namespace aclgrad::onnx_models {

struct Counts {
  std::size_t passed = 0, proven = 0;
};
Counts count(const std::vector<Trial>& trials);

std::string page_of(const std::vector<Trial>& trials);

}  // namespace aclgrad::onnx_models
