// SPDX-License-Identifier: Apache-2.0
// The diagnostics' part of aclgrad_ext.h. Nothing here may throw into a C caller: a diagnostic that
// runs out of memory stays silent.
#include "aclgrad_ext.h"
#include "ops/runtime/call.h"
#include "ops/runtime/context.h"
#include "ops/runtime/diagnostics/call_log.h"
#include "ops/runtime/diagnostics/objects.h"
#include "ops/runtime/diagnostics/report.h"
#include "ops/runtime/diagnostics/task_note.h"

using namespace aclgrad::runtime;
using namespace aclgrad::runtime::diagnostics;

namespace {

Access access_of(const aclgradTaskOperand& operand) {
  std::vector<int64_t> strides(operand.rank);
  for (size_t i = 0; i < operand.rank; ++i) {
    strides[i] = operand.strides[i] * static_cast<int64_t>(operand.element_size);
  }
  return {.argument = operand.argument,
          .region = Region(operand.address, std::span(operand.shape, operand.rank), strides,
                           operand.element_size),
          .is_read = operand.is_read != 0,
          .is_written = operand.is_written != 0,
          .tensor = operand.tensor};
}

}  // namespace

uint32_t aclgradEnabledChecks() { return settings().checks; }

void aclgradObjectUsed(const void* handle) { object_used(handle); }

void aclgradObjectChanged(const void* handle) { object_changed(handle); }

uint64_t aclgradObjectVersion(const void* handle) { return version_of(handle); }

void aclgradCheckVersion(const char* name, const char* argument, const void* handle,
                         uint64_t version) {
  check_version(name, argument, handle, version);
}

const char* aclgradSetCallName(const char* name) { return Site::set_call(name); }

uint64_t aclgradNextCallNumber() { return next_call_number(); }

void aclgradLogLine(const char* line) { write_log(line); }

uint64_t aclgradFindingCount() { return report_count(); }

void aclgradObjectMade(const void* handle, const char* kind) { object_made(handle, kind); }

void aclgradObjectGone(const void* handle) { object_gone(handle); }

void aclgradObjectMissing(const void* handle, const char* kind) { report_missing(handle, kind); }

aclError aclgradLaunchDescribed(aclrtStream stream, const char* name, aclgradTaskFunction run,
                                void* argument, void (*release)(void* argument),
                                const aclgradSweep* sweep, const aclgradTaskOperand* operands,
                                size_t count) {
  return entry("aclgradLaunchTask", [&](const Call& call) -> aclError {
    Task task{.name = name, .run = run, .argument = argument, .release = release};
    task.sweep = sweep;
    const StreamChoice chosen = choose_stream(call, stream);
    if (!chosen.stream) {
      if (release != nullptr) release(argument);
      return chosen.status;
    }
    if (enabled(kNeedNotes)) {
      std::vector<Access> accesses;
      for (size_t i = 0; i < count; ++i) accesses.push_back(access_of(operands[i]));
      task = with_note(std::move(task), *chosen.stream, std::move(accesses));
    }
    return submit(call, *chosen.stream, std::move(task));
  });
}
