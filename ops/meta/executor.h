// SPDX-License-Identifier: Apache-2.0
// What phase one hands out. opapi makes and runs executors, nnopbase changes and destroys them;
// both see this layout, and the table of live handles (aclgradHandle*) tells whether a pointer is
// one.
#pragma once

#include <memory>
#include <vector>

#include "ops/meta/operator.h"

namespace aclgrad::ops {

// The cause of a message about an executor that is not live. The statuses for it are of the class
// whose title blames the library.
inline constexpr char kExecutorIsGone[] =
    "A single-use executor runs once, unless aclSetAclOpExecutorRepeatable was called. The program "
    "used it wrongly; nothing failed inside the library.";
}  // namespace aclgrad::ops

struct aclOpExecutor {
  struct Binding {
    const aclTensor* object = nullptr;  // key of the address setters; null for an attribute
    void* base = nullptr;
    int64_t byte_offset = 0;
    size_t parameter = 0;  // whose it is: of a list the same for all its tensors
  };

  const aclgrad::ops::OperatorSpec* spec = nullptr;
  std::shared_ptr<const aclgrad::ops::Plan> plan;  // shared with the runs still queued
  bool repeatable = false;
  std::vector<Binding> bindings;     // one per argument
  std::shared_ptr<const void> info;  // of hooks
};
