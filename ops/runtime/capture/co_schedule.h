// SPDX-License-Identifier: Apache-2.0
// Small tasks that run at the same time as a fused step that they do not depend on: each on the
// thread that is done first with its part of the step.
#ifndef ACLGRAD_OPS_RUNTIME_CAPTURE_CO_SCHEDULE_H_
#define ACLGRAD_OPS_RUNTIME_CAPTURE_CO_SCHEDULE_H_

#include <vector>

#include "ops/runtime/capture/steps.h"

namespace aclgrad::runtime {

// Moves such tasks from steps of their own into the fused steps next to them.
void co_schedule(std::vector<Step>& steps, const std::vector<Task>& tasks);

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_CAPTURE_CO_SCHEDULE_H_
