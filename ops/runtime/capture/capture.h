// SPDX-License-Identifier: Apache-2.0
// Capture: while it lasts, what is submitted to a stream is recorded instead of run. Other streams
// join by waiting for an event that a captured stream recorded, and must be joined back in the same
// way before the capture ends.
//
// Tasks are recorded in the order of submission, which respects every such wait: a wait for
// a record was called after it. So a recording is a plain sequence.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ops/runtime/call/call.h"
#include "ops/runtime/call/hooks.h"
#include "ops/runtime/capture/recorded_model.h"
#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

class Capture : public std::enable_shared_from_this<Capture> {
 public:
  Capture(const std::shared_ptr<Stream>& origin, aclmdlRICaptureMode mode,
          std::shared_ptr<RecordedModel> model);

  bool began_on(const Stream& stream) const { return stream.id() == origin_; }
  bool began_here() const { return thread_ == std::this_thread::get_id(); }
  aclmdlRICaptureMode mode() const { return mode_; }
  const std::shared_ptr<RecordedModel>& model() const { return model_; }
  int32_t device() const { return device_; }

  // After an illegal call nothing more is recorded, and the end answers 507903.
  void invalidate();
  bool is_valid() const;

  // Records the task, or releases it and fails: 507903.
  void add(const Call& call, const Stream& stream, Task task);
  size_t task_count() const;

  // The point that an event recorded now on the stream marks; 507903 when the capture is void.
  VectorClock mark(const Call& call, const Stream& stream);

  // The stream, which joins if it is new, goes on after the point; 507903 when the capture is void.
  void wait(const Call& call, const std::shared_ptr<Stream>& stream, const VectorClock& point);

  // Whether the origin lies behind everything that was recorded on other streams.
  bool is_joined() const;

  // Gives all streams back to normal work and hands the tasks to the model, unless invalid.
  bool finish();

 private:
  const int32_t origin_;
  const int32_t device_;
  const std::thread::id thread_;
  const aclmdlRICaptureMode mode_;
  const std::shared_ptr<RecordedModel> model_;

  mutable std::mutex mutex_;
  bool valid_ = true;
  std::vector<Task> tasks_;
  std::map<int32_t, VectorClock> clocks_;  // by stream; a stream's own entry counts its events
  std::vector<std::weak_ptr<Stream>> streams_;
};

// What an event recorded on a captured stream stands for.
struct CapturePoint {
  std::weak_ptr<Capture> capture;  // gone once the capture has ended
  VectorClock clock;
};

// From now on the stream's tasks are recorded for a new model.
void begin_capture(const std::shared_ptr<Stream>& stream, aclmdlRICaptureMode mode);

// How strict the calling thread is towards captures (aclmdlRICaptureThreadExchangeMode).
aclmdlRICaptureMode& thread_capture_mode();

// Whether a call that acts at once, or may block, is allowed on this thread: a capture in mode
// GLOBAL forbids it to every thread, THREAD_LOCAL to the one that began it. `status` is the answer
// when not: 107030 for synchronous calls, 107041 for asynchronous ones.
void check_unsafe_call(const Call& call, aclError status);

// For calls that must not look at a captured stream: 107027, and the capture is void.
void refuse_captured(const Call& call, const Stream& stream);

// As refuse_captured for all streams of a device.
void refuse_captured_on(const Call& call, int32_t device);

// A stream goes away: its capture, if it has one, is void.
void abandon_capture(Stream& stream);

}  // namespace aclgrad::runtime
