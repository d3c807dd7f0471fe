// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/capture/capture.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/call/hooks.h"

namespace aclgrad::runtime {
namespace {

// The captures that have not ended. Counted, so that the lock is not taken while there are none.
struct Active {
  std::atomic<int> count{0};
  std::mutex mutex;
  std::vector<std::weak_ptr<Capture>> all;
};

Active& active() { return never_destroyed<Active>(); }

std::vector<std::shared_ptr<Capture>> active_captures() {
  std::vector<std::shared_ptr<Capture>> captures;
  if (active().count.load(std::memory_order_acquire) == 0) return captures;
  const std::lock_guard lock(active().mutex);
  for (const std::weak_ptr<Capture>& weak : active().all) {
    if (std::shared_ptr<Capture> capture = weak.lock()) captures.push_back(std::move(capture));
  }
  return captures;
}

[[noreturn]] void void_capture(const Call& call) {
  call.failed(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
              "the stream's capture was made void by an earlier call", "",
              "End it with aclmdlRICaptureEnd and capture again without that call.");
}

void release(const std::vector<Task>& tasks) {
  for (const Task& task : tasks) {
    task.drop();
  }
}

}  // namespace

Capture::Capture(const std::shared_ptr<Stream>& origin, aclmdlRICaptureMode mode,
                 std::shared_ptr<RecordedModel> model)
    : origin_(origin->id()),
      device_(origin->settings().device),
      thread_(std::this_thread::get_id()),
      mode_(mode),
      model_(std::move(model)) {
  clocks_[origin_] = {};
  streams_.push_back(origin);
}

void Capture::invalidate() {
  std::vector<Task> dropped;
  {
    const std::lock_guard lock(mutex_);
    valid_ = false;
    dropped.swap(tasks_);
  }
  release(dropped);
}

bool Capture::is_valid() const {
  const std::lock_guard lock(mutex_);
  return valid_;
}

void Capture::add(const Call& call, const Stream& stream, Task task) {
  try {
    const std::lock_guard lock(mutex_);
    if (!valid_) void_capture(call);
    VectorClock& clock = clocks_[stream.id()];
    uint64_t& events = clock[stream.id()];
    tasks_.push_back(std::move(task));  // a task that finds no room stays here
    ++events;
    if (RuntimeHooks* const active = hooks()) active->recorded(tasks_.back(), stream.id(), clock);
  } catch (...) {
    task.drop();
    throw;
  }
}

size_t Capture::task_count() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

VectorClock Capture::mark(const Call& call, const Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (!valid_) void_capture(call);
  return clocks_[stream.id()];
}

void Capture::wait(const Call& call, const std::shared_ptr<Stream>& stream,
                   const VectorClock& point) {
  const bool joins = stream->capture() == nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!valid_) void_capture(call);
    // On a copy: when memory is exhausted nothing must have changed.
    const auto it = clocks_.find(stream->id());
    VectorClock clock = it == clocks_.end() ? VectorClock() : it->second;
    for (const auto& [id, events] : point) clock[id] = std::max(clock[id], events);
    // Joining is an event of its own, so that a stream without tasks must be joined back too.
    if (joins) {
      ++clock[stream->id()];
      streams_.push_back(stream);
    }
    try {
      clocks_[stream->id()].swap(clock);
    } catch (...) {
      if (joins) streams_.pop_back();
      throw;
    }
  }
  if (joins) stream->set_capture(shared_from_this());
}

bool Capture::is_joined() const {
  const std::lock_guard lock(mutex_);
  const VectorClock& seen = clocks_.at(origin_);
  return std::all_of(clocks_.begin(), clocks_.end(), [&](const auto& entry) {
    const auto& [id, clock] = entry;
    if (id == origin_) return true;
    const auto own = clock.find(id);
    const auto it = seen.find(id);
    return it != seen.end() && own != clock.end() && it->second >= own->second;
  });
}

bool Capture::finish() {
  std::vector<std::weak_ptr<Stream>> streams;
  std::vector<Task> tasks;
  bool valid = false;
  {
    const std::lock_guard lock(mutex_);
    streams.swap(streams_);
    tasks.swap(tasks_);
    valid = std::exchange(valid_, false);
  }
  for (const std::weak_ptr<Stream>& weak : streams) {
    if (const std::shared_ptr<Stream> stream = weak.lock()) stream->set_capture(nullptr);
  }
  {
    const std::lock_guard lock(active().mutex);
    active().count -= static_cast<int>(std::erase_if(active().all, [&](const auto& weak) {
      const std::shared_ptr<Capture> capture = weak.lock();
      return !capture || capture.get() == this;
    }));
  }
  if (valid) {
    if (RuntimeHooks* const active = hooks()) active->recording_ended(tasks);
    model_->complete(std::move(tasks));
  } else {
    release(tasks);
  }
  return valid;
}

void begin_capture(const std::shared_ptr<Stream>& stream, aclmdlRICaptureMode mode) {
  const auto model = std::make_shared<RecordedModel>(stream->settings().context);
  const auto capture = std::make_shared<Capture>(stream, mode, model);
  recorded_models().add(model);
  try {
    const std::lock_guard lock(active().mutex);
    active().all.push_back(capture);
    ++active().count;
  } catch (...) {
    recorded_models().remove(model->handle());
    throw;
  }
  stream->set_capture(capture);
}

aclmdlRICaptureMode& thread_capture_mode() {
  thread_local aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  return mode;
}

void check_unsafe_call(const Call& call, aclError status) {
  if (thread_capture_mode() == ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return;
  const bool global = thread_capture_mode() == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  const auto captures = active_captures();
  const bool forbidden = std::any_of(captures.begin(), captures.end(), [&](const auto& capture) {
    if (capture->began_here()) return capture->mode() != ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    return global && capture->mode() == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  });
  if (!forbidden) return;
  call.failed(status, "a stream is being captured in a mode that forbids this call",
              "What acts at once cannot be recorded.",
              "Move the call out of the capture, or begin it in mode RELAXED.");
}

void refuse_captured(const Call& call, const Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture();
  if (!capture) return;
  capture->invalidate();
  call.failed(ACL_ERROR_RT_STREAM_CAPTURED,
              "the stream is being captured, and this call made the capture void",
              "Its tasks are recorded, not run; there is nothing to wait for.",
              "End the capture first.");
}

void refuse_captured_on(const Call& call, int32_t device) {
  bool found = false;
  for (const auto& capture : active_captures()) {
    if (capture->device() != device) continue;
    capture->invalidate();
    found = true;
  }
  if (!found) return;
  call.failed(ACL_ERROR_RT_STREAM_CAPTURED,
              "a stream of the device is being captured, and this call made the capture void", "",
              "End the capture first.");
}

void abandon_capture(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture();
  if (!capture) return;
  capture->invalidate();
  stream.set_capture(nullptr);
  if (capture->began_on(stream)) {
    capture->finish();
    recorded_models().remove(capture->model()->handle());
  }
}

}  // namespace aclgrad::runtime
