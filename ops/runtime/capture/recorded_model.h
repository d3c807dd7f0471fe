// SPDX-License-Identifier: Apache-2.0
// What a capture leaves: a sequence of tasks that can be run again and again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ops/runtime/call/handles.h"
#include "ops/runtime/capture/segments.h"
#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

class RecordedModel : public Handled, public std::enable_shared_from_this<RecordedModel> {
 public:
  static constexpr char kKind[] = "recorded model";

  explicit RecordedModel(uint64_t context) : context_(context) {}
  ~RecordedModel();
  RecordedModel(const RecordedModel&) = delete;
  RecordedModel& operator=(const RecordedModel&) = delete;

  uint64_t context() const { return context_; }

  // The tasks, when the capture has ended.
  void complete(std::vector<Task> tasks);
  // Once it is complete.
  const std::vector<Task>& tasks() const { return tasks_; }
  bool is_complete() const { return complete_.load(std::memory_order_acquire); }

  // A task that runs the whole sequence once and stops at the first failure. Nothing when the model
  // is still running from an earlier one. Allocates nothing.
  std::optional<Task> replay();
  // The model that such a task runs; null for other tasks.
  static const RecordedModel* of(const Task& task);

  // Moves a tensor's data for all tasks; false while the model runs. Allocates only when it meets a
  // tensor for the first time.
  bool move_tensor(const void* tensor, intptr_t bytes);

  size_t segment_count() const { return segments_.size(); }

  bool is_running() const { return running_.load(std::memory_order_acquire); }

  // Index of the task that failed in the latest run, -1 when none did.
  int64_t failed_task() const { return failed_.load(std::memory_order_acquire); }

 private:
  static aclError run(void* model);
  static void end_run(void* model);
  void run_all();
  // A segment as a run needs it. They lie side by side: following a segment to its member, and that
  // to its task, takes as long as a small kernel.
  struct Launch {
    aclgradTaskFunction run = nullptr;
    void* argument = nullptr;
    size_t task = 0;
    const Segment* fused = nullptr;  // if not null, the segment is fused, and nothing else is set
  };
  void launch(const Launch& launch);
  [[noreturn]] void fail(const SegmentFailure& failure);

  const uint64_t context_;
  std::vector<Task> tasks_;
  std::vector<Segment> segments_;
  std::vector<Launch> launches_;  // one for each segment
  bool only_on_worker_ = false;
  bool may_block_ = false;
  std::atomic<bool> complete_{false};
  std::atomic<bool> running_{false};
  std::shared_ptr<RecordedModel> while_running_;  // a destroyed model lives to the end of its run
  std::atomic<int64_t> failed_{-1};
  std::unordered_map<const void*, std::vector<size_t>> moved_;  // by tensor: the tasks that have it
};

HandleTable<RecordedModel>& recorded_models();

}  // namespace aclgrad::runtime
