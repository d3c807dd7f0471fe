// SPDX-License-Identifier: Apache-2.0
// The way into streams for operator libraries (aclgrad_ext.h).
#include "aclgrad_ext.h"
#include "ops/runtime/context.h"
#include "ops/runtime/diagnostics/overlap.h"
#include "ops/runtime/diagnostics/task_note.h"

namespace aclgrad::runtime {
namespace {

using diagnostics::Access;
using diagnostics::Region;

// Submits the task once prepare(stream, task) has had it, which releases it when it throws.
template <class Prepare>
aclError launch(aclrtStream stream, Task task, const Prepare& prepare) {
  return entry("aclgradLaunchTask", [&](const Call& call) -> aclError {
    const auto refuse = [&](aclError status) {
      if (task.release != nullptr) task.release(task.argument);
      return status;
    };
    if (task.name == nullptr) task.name = "task";
    if (task.run == nullptr) return refuse(call.null_pointer("run"));
    const StreamChoice chosen = choose_stream(call, stream);
    if (!chosen.stream) return refuse(chosen.status);
    prepare(*chosen.stream, task);
    return submit(call, *chosen.stream, std::move(task));
  });
}

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

void describe(const Stream& stream, Task& task, std::span<const aclgradTaskOperand> operands) {
  std::vector<Access> accesses;
  try {
    for (const aclgradTaskOperand& each : operands) accesses.push_back(access_of(each));
  } catch (...) {
    if (task.release != nullptr) task.release(task.argument);
    throw;
  }
  task = diagnostics::with_note(std::move(task), stream, std::move(accesses));
  if (diagnostics::enabled(diagnostics::kMemory)) {
    diagnostics::check_overlap(*diagnostics::note_of(task), operands);
  }
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclgradLaunchTask(aclrtStream stream, const char* name, aclgradTaskFunction run,
                           void* argument, void (*release)(void* argument)) {
  return aclgradLaunchTiled(stream, name, run, argument, release, nullptr);
}

aclError aclgradWakeStream(aclrtStream stream) {
  return entry(__func__, [&](const Call& call) -> aclError {
    const StreamChoice chosen = choose_stream(call, stream);
    if (!chosen.stream) return chosen.status;
    chosen.stream->wake();
    return ACL_SUCCESS;
  });
}

aclError aclgradLaunchTiled(aclrtStream stream, const char* name, aclgradTaskFunction run,
                            void* argument, void (*release)(void* argument),
                            const aclgradTiling* tiling) {
  return launch(
      stream,
      {.name = name, .run = run, .argument = argument, .release = release, .tiling = tiling},
      [](const Stream&, Task&) {});
}

aclError aclgradLaunchDescribed(aclrtStream stream, const char* name, aclgradTaskFunction run,
                                void* argument, void (*release)(void* argument),
                                const aclgradTiling* tiling, const aclgradTaskOperand* operands,
                                size_t count) {
  return launch(
      stream,
      {.name = name, .run = run, .argument = argument, .release = release, .tiling = tiling},
      [&](const Stream& on, Task& task) {
        if (!diagnostics::enabled(diagnostics::kNeedNotes)) return;
        describe(on, task, std::span(operands, count));
      });
}
