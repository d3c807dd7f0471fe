// SPDX-License-Identifier: Apache-2.0
// The way into streams for operator libraries (aclgrad_ext.h).
#include <span>

#include "aclgrad_ext.h"
#include "ops/runtime/context/context.h"

namespace aclgrad::runtime {
namespace {

// The task is released when the call ends here.
BorrowedStream choose_for(const Call& call, const Task& task, aclrtStream stream) try {
  call.require(task.run, "run");
  return choose_stream(call, stream);
} catch (...) {
  task.drop();
  throw;
}

aclError launch(aclrtStream stream, Task task, const Effects& effects = kNoEffects) {
  return entry("aclgradLaunchTask", [&](const Call& call) {
    if (task.name == nullptr) task.name = "task";
    // Nothing is known of a task that cannot be cut: it may be one that waits for another rank.
    task.may_block = task.tiling == nullptr;
    const BorrowedStream chosen = choose_for(call, task, stream);
    submit(call, *chosen, std::move(task), /*ticket=*/nullptr, effects);
  });
}

using Operands = std::span<const aclgradTaskOperand>;

void describe(const void* operands, OperandSink& sink) {
  for (const aclgradTaskOperand& each : *static_cast<const Operands*>(operands)) sink.add(each);
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclgradLaunchTask(aclrtStream stream, const char* name, aclgradTaskFunction run,
                           void* argument, void (*release)(void* argument)) {
  return aclgradLaunchTiled(stream, name, run, argument, release, nullptr);
}

aclError aclgradWakeStream(aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    const BorrowedStream chosen = choose_stream(call, stream);
    chosen->wake();
  });
}

aclError aclgradLaunchTiled(aclrtStream stream, const char* name, aclgradTaskFunction run,
                            void* argument, void (*release)(void* argument),
                            const aclgradTiling* tiling) {
  return launch(
      stream,
      {.name = name, .run = run, .argument = argument, .release = release, .tiling = tiling});
}

aclError aclgradLaunchDescribed(aclrtStream stream, const char* name, aclgradTaskFunction run,
                                void* argument, void (*release)(void* argument),
                                const aclgradTiling* tiling, const aclgradTaskOperand* operands,
                                size_t count) {
  const Operands all(operands, count);
  return launch(
      stream,
      {.name = name, .run = run, .argument = argument, .release = release, .tiling = tiling},
      {.describe = describe, .subject = &all});
}
