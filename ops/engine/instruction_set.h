// SPDX-License-Identifier: Apache-2.0
// Which of the compiled instruction sets the kernels run on.
#pragma once

#include <cstdint>

namespace aclgrad::ops {

// The HWY_* constant that dispatch chooses now; found by calling through it.
int64_t chosen_instruction_set();

}  // namespace aclgrad::ops
