// SPDX-License-Identifier: Apache-2.0
// Which of the compiled instruction sets the kernels run on.
#ifndef ACLGRAD_OPS_ENGINE_INSTRUCTION_SET_H_
#define ACLGRAD_OPS_ENGINE_INSTRUCTION_SET_H_

#include <cstdint>

namespace aclgrad::ops {

// The HWY_* constant that dispatch chooses now; found by calling through it.
int64_t chosen_instruction_set();

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ENGINE_INSTRUCTION_SET_H_
