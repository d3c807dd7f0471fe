// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/device.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

#include "ops/runtime/capture.h"
#include "ops/runtime/context.h"
#include "ops/runtime/event.h"
#include "ops/runtime/memory.h"
#include "ops/runtime/timeout.h"

namespace aclgrad::runtime {
namespace {

constexpr int32_t kMaxDevices = 16;

struct Device {
  uint64_t uses = 0;
  std::shared_ptr<Context> primary;  // while uses > 0
};

struct Devices {
  std::mutex mutex;
  std::array<Device, kMaxDevices> all;
};

Devices& devices() {
  static auto& instance = *new Devices;
  return instance;
}

aclError set_device(int32_t id) {
  std::shared_ptr<Context> primary;
  {
    const std::lock_guard lock(devices().mutex);
    Device& device = devices().all.at(static_cast<size_t>(id));
    if (device.uses == 0) device.primary = make_context(id, /*is_primary=*/true);
    ++device.uses;
    primary = device.primary;
  }
  set_current_context(std::move(primary));
  return ACL_SUCCESS;
}

// What was made on a device and goes away with it, forgotten handles included.
struct Belongings {
  std::vector<std::shared_ptr<Context>> contexts;
  std::vector<std::shared_ptr<Event>> events;
  std::vector<MemoryBlock> memory;
};

// Called under the lock of the devices, so that nothing of a device set anew gets among them. The
// memory is freed last, when no task can use it any more.
Belongings take_belongings(int32_t id) {
  Belongings taken;
  taken.contexts = contexts().select([&](const Context& c) { return c.device() == id; });
  taken.events = events().select([&](const Event& e) { return e.device() == id; });
  taken.memory = take_memory_of(id, taken.contexts);
  // Nothing has changed if there was no memory for the lists; from here on nothing fails.
  for (const auto& event : taken.events) events().remove(event->handle());
  return taken;
}

void release(const Belongings& taken, bool drain) {
  for (const auto& context : taken.contexts) end_context(*context, drain);
}

bool runs_task_of(int32_t id) {
  return streams().find_any([&](const Stream& stream) {
    return stream.settings().device == id && stream.is_running_here();
  }) != nullptr;
}

aclError reset_device(const Call& call, int32_t id, bool force) {
  if (!is_device(id)) return call.bad_device("deviceId", id);
  if (runs_task_of(id)) return inside_own_task(call);
  Belongings taken;
  {
    const std::lock_guard lock(devices().mutex);
    Device& device = devices().all.at(static_cast<size_t>(id));
    if (device.uses == 0) {
      return call.failed(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                         fmt::format("device {} is not set", id),
                         "aclrtResetDevice was called more often than aclrtSetDevice.");
    }
    if (!force && device.uses > 1) {
      --device.uses;
      return ACL_SUCCESS;
    }
    taken = take_belongings(id);
    device = {};
  }
  release(taken, /*drain=*/!force);
  return ACL_SUCCESS;
}

}  // namespace

int32_t device_count() {
  static const int32_t count = [] {
    const char* const wanted = std::getenv("ACLGRAD_DEVICE_COUNT");
    const long number = wanted == nullptr ? 1 : std::strtol(wanted, nullptr, 10);
    return static_cast<int32_t>(std::clamp(number, 1L, static_cast<long>(kMaxDevices)));
  }();
  return count;
}

bool is_device_set(int32_t device) {
  const std::lock_guard lock(devices().mutex);
  return devices().all.at(static_cast<size_t>(device)).uses > 0;
}

aclError release_all_devices(const Call& call) {
  for (int32_t id = 0; id < device_count(); ++id) {
    if (runs_task_of(id)) return inside_own_task(call);
  }
  for (int32_t id = 0; id < device_count(); ++id) {
    Belongings taken;
    {
      const std::lock_guard lock(devices().mutex);
      taken = take_belongings(id);
      devices().all.at(static_cast<size_t>(id)) = {};
    }
    release(taken, /*drain=*/true);
  }
  return ACL_SUCCESS;
}

aclError synchronize_device(const Call& call, int32_t device, Deadline deadline, bool* is_over) {
  if (is_over != nullptr) *is_over = false;
  if (const aclError status = refuse_captured_on(call, device)) return status;
  const auto on_device =
      streams().select([&](const Stream& stream) { return stream.settings().device == device; });
  std::vector<uint64_t> tickets;
  tickets.reserve(on_device.size());
  for (const auto& stream : on_device) tickets.push_back(stream->submitted());
  // While this thread does the work of one, the others need not wait for their turn.
  const auto is_pending = [&](size_t i) { return !on_device[i]->is_done(tickets[i]); };
  size_t first_pending = 0;
  while (first_pending < on_device.size() && !is_pending(first_pending)) ++first_pending;
  for (size_t i = first_pending + 1; i < on_device.size(); ++i) {
    if (is_pending(i)) on_device[i]->wake();
  }
  for (size_t i = 0; i < on_device.size(); ++i) {
    switch (on_device[i]->wait(tickets[i], deadline)) {
      case Stream::WaitResult::kDone:
        break;
      case Stream::WaitResult::kTimeout:
        return call.failed(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                           fmt::format("work on device {} took longer than the timeout", device),
                           /*cause=*/"", "The work goes on; synchronise again to wait for it.");
      case Stream::WaitResult::kInsideOwnTask:
        return inside_own_task(call);
      case Stream::WaitResult::kFrozen:
        return process_ends(call);
    }
  }
  if (is_over != nullptr) *is_over = true;
  aclError first = ACL_SUCCESS;
  for (const auto& stream : on_device) {
    const aclError status = report_task_failure(call, *stream);
    if (first == ACL_SUCCESS) first = status;
  }
  return first;
}

aclError report_task_failure(const Call& call, Stream& stream) {
  const TaskFailure failure = stream.take_failure();
  if (failure.status == ACL_SUCCESS) return ACL_SUCCESS;
  return call.failed(failure.status, failure.message,
                     "The task ran, and failed, after the call that queued it had returned.");
}

aclError inside_own_task(const Call& call) {
  return call.unsupported("a task or callback cannot wait for the stream that runs it",
                          "Synchronise from a thread of the program.");
}

aclError process_ends(const Call& call) {
  return call.failed(ACL_ERROR_RT_STREAM_ABORT,
                     "the process ends, and the stream's remaining work is not done",
                     "The program returned from main, or called exit, with work in its streams.",
                     "Synchronise before the program ends.");
}

}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtSetDevice(int32_t deviceId) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (!is_device(deviceId)) return call.bad_device("deviceId", deviceId);
    return set_device(deviceId);
  });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return entry(__func__, [&](const Call& call) -> aclError {
    return reset_device(call, deviceId, /*force=*/false);
  });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return entry(__func__, [&](const Call& call) -> aclError {
    return reset_device(call, deviceId, /*force=*/true);
  });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (deviceId == nullptr) return call.null_pointer("deviceId");
    const Context* const context = current_context();
    if (context == nullptr) return call.no_context();
    *deviceId = context->device();
    return ACL_SUCCESS;
  });
}

aclError aclrtSynchronizeDevice() {
  return entry(__func__, [&](const Call& call) -> aclError {
    const Context* const context = current_context();
    if (context == nullptr) return call.no_context();
    return synchronize_device(call, context->device(), {});
  });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (const aclError status = check_timeout(call, timeout)) return status;
    const Context* const context = current_context();
    if (context == nullptr) return call.no_context();
    return synchronize_device(call, context->device(), deadline_after(timeout));
  });
}
