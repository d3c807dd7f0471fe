// SPDX-License-Identifier: Apache-2.0
// Where diagnostics interpose in the operator libraries: at handles, and at both phases of a call
// (docs/decisions/0019-diagnostics-as-a-layer.md). At a stream's queue they do so in the runtime.
#pragma once

#include <cstdint>
#include <span>

#include "aclgrad_ext.h"
#include "ops/meta/operator.h"

struct aclOpExecutor;  // executor.h

namespace aclgrad::ops {

// The arguments of aclgradLaunchTiled.
struct Launch {
  aclrtStream stream = nullptr;
  const char* name = "";
  aclgradTaskFunction run = nullptr;
  void* argument = nullptr;
  void (*release)(void*) = nullptr;
  const aclgradTiling* tiling = nullptr;
};

class OperatorHooks {
 public:
  // ---- Handles; `kind` is "aclTensor", "aclOpExecutor", ... -------------------------------------
  virtual void object_made(const void* handle, const char* kind) noexcept = 0;
  virtual void object_gone(const void* handle) noexcept = 0;
  virtual void object_missing(const void* handle, const char* kind) noexcept = 0;
  virtual void object_changed(const void* handle) noexcept = 0;
  // Deletes what a handle stood for, now or later.
  virtual void dispose(const void* object, void (*destroy)(const void*)) noexcept = 0;

  // ---- Calls ------------------------------------------------------------------------------------
  virtual void enter_phase_one() noexcept = 0;
  // `made` is the executor; null when phase one failed.
  virtual void leave_phase_one(const OperatorSpec& spec, std::span<const Argument> arguments,
                               aclnnStatus status, aclOpExecutor* made) noexcept = 0;
  virtual void enter_phase_two(const char* name) noexcept = 0;
  virtual void leave_phase_two(const char* name, uint64_t workspace_size, aclrtStream stream,
                               aclnnStatus status) noexcept = 0;

  // Whether a contiguous view must lie in its storage even where the memory beyond is the
  // program's.
  virtual bool is_strict() const noexcept = 0;
  // Phase two was given this executor, and all that it needs.
  virtual void executor_used(const aclOpExecutor& executor) noexcept = 0;
  // Queues the executor's task. The argument is released when this throws, too.
  virtual aclError launch(const aclOpExecutor& executor, void* workspace, const Launch& launch) = 0;

 protected:
  ~OperatorHooks() = default;  // there as long as the process
};

// Those that the environment switches on; null without any. The diagnostics define it
// (ops/diagnostics/calls/hooks.cpp): nothing here includes theirs.
OperatorHooks* make_hooks();

// Made at the first question, as in ops/runtime/call/hooks.h: a load and a branch.
inline OperatorHooks* hooks() {
  static OperatorHooks* const instance = make_hooks();
  return instance;
}

}  // namespace aclgrad::ops
