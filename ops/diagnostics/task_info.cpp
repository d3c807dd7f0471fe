// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/task_info.h"

#include <fmt/format.h>

#include <mutex>
#include <span>
#include <utility>

#include "ops/diagnostics/access.h"
#include "ops/diagnostics/blocks.h"
#include "ops/diagnostics/objects.h"
#include "ops/diagnostics/order.h"
#include "ops/diagnostics/report.h"
#include "ops/runtime/base/thread_owned.h"

namespace aclgrad::diagnostics {
namespace {

using runtime::TaskError;

// The argument of a task with a info.
struct TrackedTask {
  std::shared_ptr<TaskInfo> info;
  Task inner;

  // State of a run in units, which threads may share: checked before the first and after the last.
  std::mutex mutex;
  std::string refusal;
  int64_t begun = 0;
  int64_t done = 0;
};

TrackedTask& tracked(void* argument) { return *static_cast<TrackedTask*>(argument); }

// Null when the thread is over but for its last destructors.
std::shared_ptr<TaskInfo>* current_info() {
  return runtime::ThreadOwned<std::shared_ptr<TaskInfo>>::get();
}

aclError run_checked(void* argument) {
  TrackedTask& task = tracked(argument);
  const InsideTask inside(task.info);
  if (task.info->is_host_code) reached_by_host(*task.info);
  const std::string refusal = check_before(*task.info);
  if (!refusal.empty()) throw TaskError(ACL_ERROR_RT_AICORE_EXCEPTION, refusal);
  const aclError status = task.inner.run(task.inner.argument);
  check_after(*task.info);
  return status;
}

aclError run_part_checked(void* argument, const aclgradTile* part) {
  TrackedTask& task = tracked(argument);
  const aclgradTiling& tiling = *task.inner.tiling;
  const int64_t units = (part->end - part->begin) * part->rows;
  {
    const std::lock_guard lock(task.mutex);
    if (task.begun == 0) task.refusal = check_before(*task.info);
    task.begun += units;
    if (!task.refusal.empty()) {
      if (task.begun >= tiling.units(task.inner.argument)) task.begun = task.done = 0;
      return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
  }
  const aclError status = tiling.run(task.inner.argument, part);
  const std::lock_guard lock(task.mutex);
  task.done += units;
  if (task.done >= tiling.units(task.inner.argument)) {
    task.begun = task.done = 0;
    check_after(*task.info);
  }
  return status;
}

// Earlier uses keep the info that they were entered with.
int32_t move_checked(void* argument, const void* tensor, intptr_t bytes) {
  TrackedTask& task = tracked(argument);
  const aclgradTiling& tiling = *task.inner.tiling;
  if (tiling.move == nullptr || tiling.move(task.inner.argument, tensor, bytes) == 0) return 0;
  quietly([&] {
    auto info = std::make_shared<TaskInfo>(*task.info);
    for (Access& access : info->accesses) {
      if (access.tensor != tensor) continue;
      access.region = access.region.moved(bytes);
      access.may_be_host = true;  // moving is for memory of the program
    }
    info->find_allocations();
    task.info = std::move(info);
  });
  return 1;
}

constexpr aclgradTiling kCheckedTiling{
    .units =
        [](const void* argument) {
          const auto& task = *static_cast<const TrackedTask*>(argument);
          return task.inner.tiling->units(task.inner.argument);
        },
    .operands =
        [](const void* argument, aclgradFootprint* operands, size_t capacity) {
          const auto& task = *static_cast<const TrackedTask*>(argument);
          return task.inner.tiling->operands(task.inner.argument, operands, capacity);
        },
    .row_groups =
        [](const void* argument, int64_t* units, int64_t* min_row_groups) {
          const auto& task = *static_cast<const TrackedTask*>(argument);
          *units = *min_row_groups = 0;
          if (task.inner.tiling->row_groups != nullptr) {
            task.inner.tiling->row_groups(task.inner.argument, units, min_row_groups);
          }
        },
    .run = run_part_checked,
    .move = move_checked,
};

void release_tracked(void* argument) {
  const std::unique_ptr<TrackedTask> task(&tracked(argument));
  task->inner.drop();
}

// Functions of the C interface have names of one word.
std::string name_of(const Task& task) {
  const std::string name = task.name;
  return name.find(' ') == std::string::npos ? name : "the " + name;
}

std::string name_of(const Stream& stream) {
  const std::string name = name_of_object(stream.handle());
  if (!name.empty()) return name;
  return stream.settings().is_default ? "the default stream"
                                      : fmt::format("the stream with id {}", stream.id());
}

Axes axes_of(const aclgradTaskOperand& view) {
  Axes axes;
  for (size_t d = 0; d < view.rank; ++d) {
    const int64_t size = view.shape[d];
    const int64_t stride = view.strides[d];
    if (size == 1) continue;
    if (!axes.empty() && axes.back().second == size * stride) {
      axes.back() = {axes.back().first * size, stride};
    } else {
      axes.emplace_back(size, stride);
    }
  }
  return axes;
}

// Collects the operands that effects describe.
struct Accesses final : runtime::OperandSink {
  explicit Accesses(bool of_host) : may_be_host(of_host) {}

  void add(const aclgradTaskOperand& operand) override {
    all.push_back({.argument = operand.argument,
                   .region = Region(operand),
                   .is_read = operand.is_read != 0,
                   .is_written = operand.is_written != 0,
                   .may_be_host = may_be_host,
                   .tensor = operand.tensor,
                   .first = operand.address,
                   .element_size = operand.element_size,
                   .axes = axes_of(operand)});
  }

  const bool may_be_host;
  std::vector<Access> all;
};

}  // namespace

std::vector<Access> accesses_of(const Effects& effects) {
  Accesses accesses(effects.is_copy);
  if (effects.describe != nullptr) effects.describe(effects.subject, accesses);
  return std::move(accesses.all);
}

const char* verb(const Access& access) {
  if (access.is_read && access.is_written) return "reads and writes";
  return access.is_written ? "writes" : "reads";
}

void TaskInfo::find_allocations() {
  allocations.clear();
  for (const Access& access : accesses) {
    allocations.push_back(access.region.empty() ? 0 : find_in_blocks(access.region).serial);
  }
}

std::string TaskInfo::describe(const Access& access) const {
  return fmt::format("{} (argument {}) on {}", name, access.argument, stream);
}

Task track_task(Task task, const Stream& stream, const Effects& effects) try {
  auto argument = std::make_unique<TrackedTask>();
  argument->info = std::make_shared<TaskInfo>();
  TaskInfo& info = *argument->info;
  info.name = name_of(task);
  info.stream = name_of(stream);
  info.accesses = accesses_of(effects);
  info.is_host_code = effects.is_host_code;
  info.queued = CallSite::here();
  info.find_allocations();
  if (!effects.is_copy) check_overlap(info);
  argument->inner.run = task.run;
  argument->inner.argument = task.argument;
  argument->inner.release = task.release;
  argument->inner.tiling = task.tiling;
  if (task.tiling != nullptr) task.tiling = &kCheckedTiling;
  task.run = run_checked;
  task.argument = argument.release();
  task.release = release_tracked;
  return task;
} catch (...) {
  task.drop();
  throw;
}

std::shared_ptr<TaskInfo> info_of(const Task& task) {
  return task.run == run_checked ? tracked(task.argument).info : nullptr;
}

InsideTask::InsideTask(std::shared_ptr<TaskInfo> info) {
  if (auto* const mine = current_info()) outer_ = std::exchange(*mine, std::move(info));
}

InsideTask::~InsideTask() {
  if (auto* const mine = current_info()) *mine = std::move(outer_);
}

std::shared_ptr<TaskInfo> InsideTask::current() {
  const auto* const mine = current_info();
  return mine == nullptr ? nullptr : *mine;
}

}  // namespace aclgrad::diagnostics
