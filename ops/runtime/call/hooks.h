// SPDX-License-Identifier: Apache-2.0
// Where diagnostics interpose: at the C boundary, which handles, memory and calls that touch memory
// pass, and at the queues of streams, which tasks pass and what orders them. The runtime knows no
// single check (docs/decisions/0019-diagnostics-as-a-layer.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "aclgrad_ext.h"

namespace aclgrad::runtime {

class Call;         // call.h
class EventRecord;  // event.h
class Stream;       // stream.h
struct Task;        // stream.h

// How much of each stream (by id) lies before a point.
using VectorClock = std::map<int32_t, uint64_t>;

// Takes what memory a task touches, operand by operand; copies what it needs.
class OperandSink {
 public:
  virtual void add(const aclgradTaskOperand& operand) = 0;

 protected:
  ~OperandSink() = default;
};

// What the runtime knows of a task, or of a call that acts at once, beside how to run it. Read by
// hooks only, before the call that passes it returns.
struct Effects {
  // Describes the memory that `subject` touches; null when that is not known.
  void (*describe)(const void* subject, OperandSink& sink) = nullptr;
  const void* subject = nullptr;
  bool is_copy = false;       // or a fill: takes the program's own memory too, may overlap
  bool is_host_code = false;  // runs a function of the program
  const EventRecord* awaits = nullptr;

  bool are_known() const { return describe != nullptr || is_host_code; }
};
inline constexpr Effects kNoEffects{};

class RuntimeHooks {
 public:
  // ---- At the C boundary ------------------------------------------------------------------------

  // A handle that the program has to give back. `kind` ("stream") lives as long as the process.
  virtual void object_made(const void* handle, const char* kind) noexcept = 0;
  virtual void object_gone(const void* handle) noexcept = 0;
  // A call was given a handle that is not a live object of the kind.
  virtual void object_missing(const void* handle, const char* kind) noexcept = 0;

  // In place of the allocator: `padded_size` bytes, at a multiple of `alignment`, for a program
  // that asked for `size`; null without memory.
  virtual void* allocate(size_t size, size_t padded_size, size_t alignment,
                         bool on_device) noexcept = 0;
  // Memory of a device is mapped to these addresses.
  virtual void mapped(void* address, size_t size) noexcept = 0;
  // What allocate() gave, or a mapping: the program, or the end of its device, gives it back.
  virtual void free(void* address) noexcept = 0;

  // A call is about to touch memory at once: ends the call when it must not.
  virtual void before_access(const Call& call, const Effects& effects) = 0;

  virtual void before_finalize() noexcept = 0;

  // ---- At the queues ----------------------------------------------------------------------------

  // The task in whose place another one, which does it, is queued. When it throws, the task is
  // released.
  virtual Task watch(Task task, const Stream& stream, const Effects& effects) = 0;
  // Stream::submit, for a task that may wait for a record.
  virtual aclError submit(Stream& stream, Task&& task, uint64_t* ticket,
                          const EventRecord* awaits) = 0;
  // The program knows that the stream's tasks up to the ticket are over.
  virtual void waited(int32_t stream, uint64_t ticket) noexcept = 0;
  // The stream is over, and the program knows it.
  virtual void closed(int32_t stream) noexcept = 0;

  // A task is recorded after the tasks that the clock counts; then a whole recording ends.
  virtual void recorded(const Task& task, int32_t stream, const VectorClock& clock) noexcept = 0;
  virtual void recording_ended(const std::vector<Task>& tasks) noexcept = 0;

  // The task that the calling thread is inside of, null without one; and a function that is called
  // later, elsewhere, as a part of it.
  virtual std::shared_ptr<void> current_task() noexcept = 0;
  virtual void run_inside(const std::shared_ptr<void>& task, void (*function)(void*),
                          void* argument) = 0;

 protected:
  ~RuntimeHooks() = default;  // there as long as the process
};

// Those that the environment switches on; null without any. The diagnostics define it
// (ops/diagnostics/hooks.cpp): the runtime includes nothing of theirs.
RuntimeHooks* make_hooks();

// Made at the first question: that may be one of a static object of the program, which a library
// that is linked statically may not be initialised before. So each place costs a load and a branch.
inline RuntimeHooks* hooks() {
  static RuntimeHooks* const instance = make_hooks();
  return instance;
}

}  // namespace aclgrad::runtime
