// SPDX-License-Identifier: Apache-2.0
// What the operator libraries call. Each of them has a copy, so what is known of objects is asked
// of the runtime's library (aclgradDiagnostics).
#include "ops/meta/hooks.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ops/diagnostics/calls/call_log.h"
#include "ops/diagnostics/calls/device_facts.h"
#include "ops/meta/executor.h"
#include "ops/meta/if_memory_allows.h"

namespace aclgrad::diagnostics {
namespace {

using ops::Argument;
using ops::Launch;
using ops::OperatorSpec;
using ops::Role;

// What a phase one saw, for phase two.
struct CallInfo {
  uint64_t number = 0;             // of the call, for the log
  std::vector<aclTensor> tensors;  // by argument; attributes leave their places empty
  std::vector<uint64_t> versions;  // of each tensor
};

const CallInfo* info_of(const aclOpExecutor& executor) {
  return static_cast<const CallInfo*>(executor.info.get());
}

uint64_t number_of(const aclOpExecutor* executor) {
  return executor == nullptr || !executor->info ? 0 : info_of(*executor)->number;
}

// Objects that are destroyed are kept for a while, so that a dead handle does not come alive again
// as another object at the same address. False without memory for it.
bool keep(const void* object, void (*destroy)(const void*)) noexcept {
  struct Quarantine {
    std::mutex mutex;
    std::deque<std::pair<const void*, void (*)(const void*)>> objects;
  };
  constexpr size_t kMaxObjects = 65536;
  bool kept = false;
  ops::if_memory_allows([&] {
    static auto& quarantine = *new Quarantine;
    std::unique_lock lock(quarantine.mutex);
    quarantine.objects.emplace_back(object, destroy);
    kept = true;
    if (quarantine.objects.size() <= kMaxObjects) return;
    const auto [oldest, destroy_oldest] = quarantine.objects.front();
    quarantine.objects.pop_front();
    lock.unlock();
    destroy_oldest(oldest);
  });
  return kept;
}

// The phase that the thread is in; none is inside another one.
struct CurrentCall {
  LogClock::time_point begun;
  const char* outer = nullptr;  // the call's name before
  uint64_t number = 0;          // 0 until phase two knows its executor
};

CurrentCall& current_call() {
  thread_local CurrentCall call;
  return call;
}

std::vector<aclgradTaskOperand> operands_of(const aclOpExecutor& executor, void* workspace) {
  std::vector<aclgradTaskOperand> operands;
  for (size_t i = 0; i < executor.bindings.size(); ++i) {
    const aclOpExecutor::Binding& binding = executor.bindings[i];
    if (binding.object == nullptr) continue;
    const aclTensor& tensor = info_of(executor)->tensors[i];
    const ops::Parameter& parameter = executor.spec->parameters[binding.parameter];
    operands.push_back(
        {parameter.name, static_cast<unsigned char*>(binding.base) + binding.byte_offset,
         tensor.view_shape.data(), tensor.view_strides.data(), tensor.view_shape.size(),
         aclDataTypeSize(tensor.dtype), parameter.role != Role::kOutput ? 1 : 0,
         parameter.role != Role::kInput ? 1 : 0, binding.object});
  }
  if (executor.plan->workspace_size > 0) {
    // One element as large as all of it.
    operands.push_back({"workspace", workspace, nullptr, nullptr, 0,
                        static_cast<size_t>(executor.plan->workspace_size), 0, 1, nullptr});
  }
  return operands;
}

class CallHooks final : public ops::OperatorHooks {
 public:
  void object_made(const void* handle, const char* kind) noexcept override {
    if (is_on(kObjectChecks)) diagnostics().object_made(handle, kind);
  }
  void object_gone(const void* handle) noexcept override {
    if (is_on(kObjectChecks)) diagnostics().object_gone(handle);
  }
  void object_missing(const void* handle, const char* kind) noexcept override {
    diagnostics().object_missing(handle, kind);
  }
  void object_changed(const void* handle) noexcept override {
    if (is_on(ACLGRAD_CHECK_PHASES)) diagnostics().object_changed(handle);
  }
  void dispose(const void* object, void (*destroy)(const void*)) noexcept override {
    const bool kept = is_on(ACLGRAD_CHECK_HANDLES | ACLGRAD_CHECK_PHASES) && keep(object, destroy);
    if (!kept) destroy(object);
  }

  void enter_phase_one() noexcept override { current_call() = {.begun = LogClock::now()}; }

  void leave_phase_one(const OperatorSpec& spec, std::span<const Argument> arguments,
                       aclnnStatus status, aclOpExecutor* made) noexcept override {
    ops::if_memory_allows([&] {
      if (made != nullptr) record_plan(*made);
      if (made != nullptr && is_on(ACLGRAD_CHECK_DEVICE)) {
        for (const std::string& each : device_answers(spec, arguments, ops::current_soc())) {
          diagnostics().device_answer(each.c_str());
        }
      }
      if (!is_on(ACLGRAD_CHECK_LOG)) return;
      log_plan(spec, arguments, status, number_of(made),
               made == nullptr ? 0 : made->plan->workspace_size, current_call().begun);
    });
  }

  void enter_phase_two(const char* name) noexcept override {
    current_call() = {.begun = LogClock::now(), .outer = diagnostics().set_call_name(name)};
  }

  void leave_phase_two(const char* name, uint64_t workspace_size, aclrtStream stream,
                       aclnnStatus status) noexcept override {
    const CurrentCall& call = current_call();
    if (is_on(ACLGRAD_CHECK_LOG)) {
      ops::if_memory_allows(
          [&] { log_launch(name, call.number, workspace_size, stream, status, call.begun); });
    }
    diagnostics().set_call_name(call.outer);
  }

  bool is_strict() const noexcept override { return is_on(ACLGRAD_CHECK_MEMORY); }

  void executor_used(const aclOpExecutor& executor) noexcept override {
    current_call().number = number_of(&executor);
    if (!is_on(ACLGRAD_CHECK_PHASES)) return;
    diagnostics().object_used(&executor);
    for (size_t i = 0; executor.info && i < executor.bindings.size(); ++i) {
      const aclOpExecutor::Binding& binding = executor.bindings[i];
      if (binding.object == nullptr) continue;
      diagnostics().check_version(executor.spec->name,
                                  executor.spec->parameters[binding.parameter].name, binding.object,
                                  info_of(executor)->versions[i]);
    }
  }

  aclError launch(const aclOpExecutor& executor, void* workspace, const Launch& launch) override {
    Launch logged = launch;
    std::vector<aclgradTaskOperand> operands;
    try {
      if (executor.info) operands = operands_of(executor, workspace);
      if (is_on(ACLGRAD_CHECK_LOG)) logged = with_log(launch, number_of(&executor));
    } catch (...) {
      if (launch.release != nullptr) launch.release(launch.argument);
      throw;
    }
    return aclgradLaunchDescribed(logged.stream, logged.name, logged.run, logged.argument,
                                  logged.release, logged.tiling, operands.data(), operands.size());
  }

 private:
  static void record_plan(aclOpExecutor& executor) {
    auto info = std::make_shared<CallInfo>();
    info->number = diagnostics().next_call_number();
    info->tensors.resize(executor.bindings.size());
    info->versions.resize(executor.bindings.size());
    for (size_t i = 0; i < executor.bindings.size(); ++i) {
      const aclTensor* const tensor = executor.bindings[i].object;
      if (tensor == nullptr) continue;
      info->tensors[i] = *tensor;
      info->versions[i] = diagnostics().object_version(tensor);
    }
    executor.info = std::move(info);
  }
};

}  // namespace
}  // namespace aclgrad::diagnostics

aclgrad::ops::OperatorHooks* aclgrad::ops::make_hooks() {
  static constinit diagnostics::CallHooks instance;
  return aclgradEnabledChecks() == 0 ? nullptr : &instance;
}
