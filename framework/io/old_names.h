// SPDX-License-Identifier: Apache-2.0
// What was called otherwise in checkpoints before Variable::kMark: `w.velocity` for `w@velocity`,
// `adamw.steps` for `@adamw.steps`, `average.w` for `@average@w`.
#pragma once

#include <string>
#include <vector>

#include "aclgrad/io/safetensors.h"
#include "aclgrad/variable.h"

namespace aclgrad::detail {

/// What a variable was called then; the same name for one without a mark.
std::string old_name(std::string name);

/// The tensors of a training run under the names that they have now, where they have old ones; its
/// model's state has the names of these variables.
NamedTensors with_new_names(NamedTensors tensors, const std::vector<Variable>& model);

}  // namespace aclgrad::detail
