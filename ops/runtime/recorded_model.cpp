// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/recorded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace aclgrad::runtime {

HandleTable<RecordedModel>& recorded_models() {
  static auto& table = *new HandleTable<RecordedModel>;
  return table;
}

RecordedModel::~RecordedModel() {
  for (const Task& task : tasks_) {
    if (task.release != nullptr) task.release(task.argument);
  }
}

void RecordedModel::complete(std::vector<Task> tasks) {
  tasks_ = std::move(tasks);
  only_on_worker_ = std::any_of(tasks_.begin(), tasks_.end(),
                                [](const Task& task) { return task.only_on_worker; });
  complete_.store(true, std::memory_order_release);
}

std::optional<Task> RecordedModel::replay() {
  if (running_.exchange(true, std::memory_order_acq_rel)) return std::nullopt;
  while_running_ = shared_from_this();
  Task task{.name = "recorded model", .run = run};
  task.argument = this;
  task.release = end_run;
  task.only_on_worker = only_on_worker_;
  return task;
}

aclError RecordedModel::run(void* model) {
  static_cast<RecordedModel*>(model)->run_all();
  return ACL_SUCCESS;
}

void RecordedModel::run_all() {
  failed_.store(-1, std::memory_order_relaxed);
  size_t index = 0;
  const auto fail = [&](aclError status, const std::string& reason) {
    failed_.store(static_cast<int64_t>(index), std::memory_order_release);
    throw TaskError(status, fmt::format("its task {} ({}) failed{}{}", index, tasks_[index].name,
                                        reason.empty() ? "" : ": ", reason));
  };
  try {
    for (; index < tasks_.size(); ++index) {
      const aclError status = tasks_[index].run(tasks_[index].argument);
      if (status != ACL_SUCCESS) fail(status, "");
    }
  } catch (const TaskError&) {
    throw;
  } catch (const std::exception& error) {
    fail(ACL_ERROR_RT_INTERNAL_ERROR, error.what());
  }
}

void RecordedModel::end_run(void* pointer) {
  auto* const model = static_cast<RecordedModel*>(pointer);
  const std::shared_ptr<RecordedModel> keep = std::move(model->while_running_);
  model->running_.store(false, std::memory_order_release);
}

}  // namespace aclgrad::runtime
