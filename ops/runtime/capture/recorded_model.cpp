// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/capture/recorded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ops/runtime/base/float_environment.h"
#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/call/errors.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {

HandleTable<RecordedModel>& recorded_models() {
  return never_destroyed<HandleTable<RecordedModel>>();
}

RecordedModel::~RecordedModel() {
  for (const Task& task : tasks_) {
    task.drop();
  }
}

void RecordedModel::complete(std::vector<Task> tasks) {
  tasks_ = std::move(tasks);
  segments_ = plan_segments(tasks_, aclgradGetReplayFusion() != 0);
  for (const Segment& segment : segments_) {
    if (segment.is_fused) {
      launches_.push_back({.fused = &segment});
    } else {
      const size_t index = segment.members.front().task;
      launches_.push_back({tasks_[index].run, tasks_[index].argument, index});
    }
  }
  only_on_worker_ = std::ranges::any_of(tasks_, &Task::only_on_worker);
  may_block_ = std::ranges::any_of(tasks_, &Task::may_block);
  complete_.store(true, std::memory_order_release);
}

std::optional<Task> RecordedModel::replay() {
  if (running_.exchange(true, std::memory_order_acq_rel)) return std::nullopt;
  while_running_ = shared_from_this();
  Task task{.name = "recorded model", .run = run};
  task.argument = this;
  task.release = end_run;
  task.only_on_worker = only_on_worker_;
  task.may_block = may_block_;
  return task;
}

const RecordedModel* RecordedModel::of(const Task& task) {
  return task.run == run ? static_cast<const RecordedModel*>(task.argument) : nullptr;
}

bool RecordedModel::move_tensor(const void* tensor, intptr_t bytes) {
  if (running_.exchange(true, std::memory_order_acq_rel)) return false;
  struct Idle {
    std::atomic<bool>& running;
    ~Idle() { running.store(false, std::memory_order_release); }
  };
  const Idle afterwards{running_};
  const auto move = [&](size_t task, intptr_t by) {
    const aclgradTiling* const tiling = tasks_[task].tiling;
    return tiling != nullptr && tiling->move != nullptr &&
           tiling->move(tasks_[task].argument, tensor, by) != 0;
  };
  auto it = moved_.find(tensor);
  if (it == moved_.end()) {
    // A move by nothing tells who has the tensor. The list is made first: when memory is exhausted
    // no task must have moved.
    std::vector<size_t> owners;
    for (size_t task = 0; task < tasks_.size(); ++task) {
      if (move(task, 0)) owners.push_back(task);
    }
    it = moved_.emplace(tensor, std::move(owners)).first;
  }
  for (const size_t task : it->second) move(task, bytes);
  return true;
}

aclError RecordedModel::run(void* model) {
  static_cast<RecordedModel*>(model)->run_all();
  return ACL_SUCCESS;
}

void RecordedModel::fail(const SegmentFailure& failure) {
  failed_.store(static_cast<int64_t>(failure.task), std::memory_order_release);
  throw TaskError(failure.status, fmt::format("its task {} ({}) failed{}{}", failure.task,
                                              tasks_[failure.task].name,
                                              failure.reason.empty() ? "" : ": ", failure.reason));
}

void RecordedModel::launch(const Launch& launch) {
  if (launch.fused != nullptr) {
    const SegmentFailure failure = run_fused(*launch.fused, tasks_);
    if (failure.status != ACL_SUCCESS) fail(failure);
    return;
  }
  aclError status = ACL_SUCCESS;
  try {
    status = run_without_trace(launch.run, launch.argument);
  } catch (const ForcedUnwind&) {
    throw;
  } catch (...) {
    fail(failure_in_flight(launch.task));
  }
  if (status != ACL_SUCCESS) fail({status, launch.task, take_explanation()});
}

void RecordedModel::run_all() {
  failed_.store(-1, std::memory_order_relaxed);
  for (size_t i = 0; i < launches_.size(); ++i) {
    // Prefetches the argument of the next launch while this one runs.
    if (i + 1 < launches_.size()) __builtin_prefetch(launches_[i + 1].argument);
    launch(launches_[i]);
  }
}

void RecordedModel::end_run(void* pointer) {
  auto* const model = static_cast<RecordedModel*>(pointer);
  const std::shared_ptr<RecordedModel> keep = std::move(model->while_running_);
  model->running_.store(false, std::memory_order_release);
}

}  // namespace aclgrad::runtime
