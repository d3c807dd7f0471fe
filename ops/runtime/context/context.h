// SPDX-License-Identifier: Apache-2.0
// Contexts: which device and which default stream a thread works with.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "ops/runtime/call/call.h"
#include "ops/runtime/call/handles.h"
#include "ops/runtime/call/hooks.h"
#include "ops/runtime/context/system_options.h"
#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

class Context : public Handled {
 public:
  static constexpr char kKind[] = "context";

  Context(int32_t device, bool is_primary);

  uint64_t id() const { return id_; }
  int32_t device() const { return device_; }
  bool is_primary() const { return is_primary_; }
  bool is_made_by_program() const { return !is_primary_; }
  const std::shared_ptr<Stream>& default_stream() const { return default_stream_; }
  SystemOptions& options() { return options_; }

  // Cleared when the context is destroyed; threads may still have it as their current one.
  bool is_alive() const { return alive_.load(std::memory_order_acquire); }
  void end_life() { alive_.store(false, std::memory_order_release); }

  // Set when its device is reset, before the memory is taken away: what tasks of the program still
  // do, while the context ends, must not allocate any more.
  bool has_lost_memory() const { return lost_memory_.load(std::memory_order_acquire); }
  void lose_memory() { lost_memory_.store(true, std::memory_order_release); }

 private:
  const uint64_t id_;
  const int32_t device_;
  const bool is_primary_;
  std::atomic<bool> alive_{true};
  std::atomic<bool> lost_memory_{false};
  std::shared_ptr<Stream> default_stream_;
  SystemOptions options_;
};

// All live contexts.
HandleTable<Context>& contexts();

// A new context with its default stream, both registered.
std::shared_ptr<Context> make_context(int32_t device, bool is_primary);

// Ends the context's streams, after their work or (without drain) dropping what has not started,
// and unregisters it with them and the models recorded there. False when called from inside a task
// of one of its streams.
bool end_context(Context& context, bool drain);

// The calling thread's context, null when there is none or it was destroyed.
Context* current_context();
void set_current_context(std::shared_ptr<Context> context);

// The calling thread's context; without one the call ends with 107002.
Context& require_context(const Call& call);

using BorrowedStream = HandleTable<Stream>::Borrowed;

// The stream that a program means, for submitting and synchronising calls: a null handle means the
// default stream. In this order: 107002 without a context, 107017 for a handle that is not live,
// 107003 for another context's.
BorrowedStream choose_stream(const Call& call, aclrtStream handle);

// As choose_stream, for calls where a null handle is an error (100000, before everything else).
BorrowedStream choose_named_stream(const Call& call, aclrtStream handle);

// Submits to the stream, or to its capture (no ticket then). The task is released in any case.
void submit(const Call& call, Stream& stream, Task&& task, uint64_t* ticket = nullptr,
            const Effects& effects = kNoEffects);

}  // namespace aclgrad::runtime
