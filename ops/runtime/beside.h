// SPDX-License-Identifier: Apache-2.0
// Small tasks that run beside a step that is cut, which they have nothing to do with: each on the
// thread that is done first with its part of the step.
#ifndef ACLGRAD_OPS_RUNTIME_BESIDE_H_
#define ACLGRAD_OPS_RUNTIME_BESIDE_H_

#include <vector>

#include "ops/runtime/steps.h"

namespace aclgrad::runtime {

// Moves such tasks from steps of their own into the cut steps that they stand next to.
void put_beside(std::vector<Step>& steps, const std::vector<Task>& tasks);

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_BESIDE_H_
