// SPDX-License-Identifier: Apache-2.0
// What the diagnostics keep of a phase one, and what they do at phase two.
#ifndef ACLGRAD_OPS_META_DIAGNOSTICS_CALL_NOTE_H_
#define ACLGRAD_OPS_META_DIAGNOSTICS_CALL_NOTE_H_

#include <cstdint>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/meta/diagnostics/enabled.h"
#include "ops/meta/executor.h"

namespace aclgrad::ops {

// The arguments as phase one saw them, by argument; attributes leave their places empty.
struct CallNote {
  uint64_t number = 0;  // of the call, for the log
  std::vector<aclTensor> tensors;
  std::vector<uint64_t> versions;  // aclgradObjectVersion of each tensor
};

// After a successful phase one, with any diagnostic on.
void note_plan(const Arguments& arguments, aclOpExecutor& executor);

// Before an executor runs: reports tensors that were destroyed or changed since phase one.
void check_phases(const aclOpExecutor& executor);

// aclgradLaunchTiled with what the note knows. The argument is released when this throws, too.
struct NotedLaunch {
  aclrtStream stream = nullptr;
  aclgradTaskFunction run = nullptr;
  void* argument = nullptr;
  void (*release)(void*) = nullptr;
  const aclgradTiling* tiling = nullptr;
};
aclError launch_noted(const aclOpExecutor& executor, void* workspace, const NotedLaunch& launch);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_META_DIAGNOSTICS_CALL_NOTE_H_
