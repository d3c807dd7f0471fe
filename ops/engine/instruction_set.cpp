// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/engine/instruction_set.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

int64_t own_instruction_set() { return HWY_TARGET; }

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(own_instruction_set);

int64_t chosen_instruction_set() { return HWY_DYNAMIC_DISPATCH(own_instruction_set)(); }

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
