// SPDX-License-Identifier: Apache-2.0
// Small tasks that run at the same time as a fused segment that they do not depend on: each on the
// thread that is done first with its part of the segment.
#pragma once

#include <vector>

#include "ops/runtime/capture/segments.h"

namespace aclgrad::runtime {

// Moves such tasks from segments of their own into the fused segments next to them.
void co_schedule(std::vector<Segment>& segments, const std::vector<Task>& tasks);

}  // namespace aclgrad::runtime
