// SPDX-License-Identifier: Apache-2.0
// Running a test once per instruction set that was compiled and that the machine has.
#ifndef ACLGRAD_TESTS_OPS_KERNELS_TARGETS_H_
#define ACLGRAD_TESTS_OPS_KERNELS_TARGETS_H_

#include <gtest/gtest.h>

#include <cstdint>

#include "hwy/targets.h"
#include "ops/kernels/instruction_set.h"

namespace aclgrad::testing {

inline void choose_targets(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Calls body(target) with dispatch held to each target in turn. Fails when the kernels were not
// dispatched to it, which would make the run a repetition of another one.
template <class Body>
void for_each_target(const Body& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    choose_targets(target);
    EXPECT_EQ(ops::chosen_instruction_set(), target);
    body(target);
  }
  choose_targets(0);
}

}  // namespace aclgrad::testing

#endif  // ACLGRAD_TESTS_OPS_KERNELS_TARGETS_H_
