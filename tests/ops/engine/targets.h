// SPDX-License-Identifier: Apache-2.0
// Running a test once per instruction set that was compiled and that the machine has.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hwy/targets.h"
#include "ops/engine/instruction_set.h"

namespace aclgrad::testing {

inline void choose_targets(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Where one target was compiled it is called without asking which.
inline constexpr bool kOneTarget = (HWY_TARGETS & (HWY_TARGETS - 1)) == 0;

// Of the targets that this machine has Highway does not name the portable one, which was compiled
// for those that have none; it is what they run.
inline std::vector<int64_t> all_targets() {
  std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  if (std::find(targets.begin(), targets.end(), HWY_STATIC_TARGET) == targets.end()) {
    targets.push_back(HWY_STATIC_TARGET);
  }
  return targets;
}

// Calls body(target) with dispatch held to each target in turn. Fails when the kernels were not
// dispatched to it, which would make the run a repetition of another one.
template <class Body>
void for_each_target(const Body& body) {
  for (const int64_t target : all_targets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    choose_targets(target);
    EXPECT_EQ(ops::chosen_instruction_set(), target);
    body(target);
  }
  choose_targets(0);
}

}  // namespace aclgrad::testing
