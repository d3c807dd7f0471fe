// SPDX-License-Identifier: Apache-2.0
// What the runtime calls: its hooks, and the diagnostics' part of aclgrad_ext.h. Nothing here may
// throw into a C caller: a diagnostic that runs out of memory stays silent.
#include "ops/runtime/call/hooks.h"

#include "aclgrad_ext.h"
#include "ops/diagnostics/access.h"
#include "ops/diagnostics/blocks.h"
#include "ops/diagnostics/call_site.h"
#include "ops/diagnostics/objects.h"
#include "ops/diagnostics/order.h"
#include "ops/diagnostics/report.h"
#include "ops/diagnostics/task_info.h"

namespace aclgrad::diagnostics {
namespace {

class RuntimeChecks final : public runtime::RuntimeHooks {
 public:
  void object_made(const void* handle, const char* kind) noexcept override {
    diagnostics::object_made(handle, kind);
  }
  void object_gone(const void* handle) noexcept override { diagnostics::object_gone(handle); }
  void object_missing(const void* handle, const char* kind) noexcept override {
    report_missing(handle, kind);
  }

  void* allocate(size_t size, size_t padded_size, size_t alignment,
                 bool on_device) noexcept override {
    return make_block(size, padded_size, alignment, on_device);
  }
  void mapped(void* address, size_t size) noexcept override { mapping_made(address, size); }
  void free(void* address) noexcept override {
    check_free(address);
    block_freed(address);
  }

  void before_access(const runtime::Call& call, const Effects& effects) override {
    if (enabled(kNeedTaskInfo)) check_host_accesses(call, accesses_of(effects));
  }
  void before_finalize() noexcept override {
    check_all_redzones("at aclFinalize");
    report_leftovers();
  }

  Task watch(Task task, const Stream& stream, const Effects& effects) override {
    return enabled(kNeedTaskInfo) ? track_task(std::move(task), stream, effects) : std::move(task);
  }
  aclError submit(Stream& stream, Task&& task, uint64_t* ticket,
                  const runtime::EventRecord* awaits) override {
    return submit_in_order(stream, std::move(task), ticket, awaits);
  }
  void waited(int32_t stream, uint64_t ticket) noexcept override { host_waited(stream, ticket); }
  void closed(int32_t stream) noexcept override { stream_closed(stream); }
  void recorded(const Task& task, int32_t stream, const VectorClock& clock) noexcept override {
    task_recorded(task, stream, clock);
  }
  void recording_ended(const std::vector<Task>& tasks) noexcept override { check_recording(tasks); }

  std::shared_ptr<void> current_task() noexcept override { return InsideTask::current(); }
  void run_inside(const std::shared_ptr<void>& task, void (*function)(void*),
                  void* argument) override {
    const InsideTask inside(std::static_pointer_cast<TaskInfo>(task));
    function(argument);
  }
};

constexpr uint32_t kChecks = kHandles | kMemory | kUninit | kLeaks | kPhases | kStreams;

// Each sentence once, where it is said first; the log has every call.
void report_device(const char* text) {
  if (enabled(kLog) && !enabled(kLogJson)) write_log((std::string("device: ") + text).c_str());
  quietly([&] { report(kDevice, std::string(text) + '\n' + CallSite::here().frames("  "), text); });
}

}  // namespace
}  // namespace aclgrad::diagnostics

using namespace aclgrad::diagnostics;

aclgrad::runtime::RuntimeHooks* aclgrad::runtime::make_hooks() {
  static constinit RuntimeChecks instance;
  return enabled(kChecks) ? &instance : nullptr;
}

uint32_t aclgradEnabledChecks() { return settings().checks; }

uint64_t aclgradFindingCount() { return report_count(); }

const aclgradDiagnostics* aclgradGetDiagnostics() {
  static constexpr aclgradDiagnostics kTable{
      .object_made = [](const void* handle, const char* kind) { object_made(handle, kind); },
      .object_gone = object_gone,
      .object_missing = report_missing,
      .object_changed = object_changed,
      .object_used = object_used,
      .object_version = version_of,
      .check_version = check_version,
      .set_call_name = CallSite::set_call,
      .next_call_number = next_call_number,
      .log_line = write_log,
      .device_answer = report_device};
  return &kTable;
}
