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
#include "ops/runtime/permanent.h"
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

Devices& devices() { return permanent<Devices>(); }

void set_device(int32_t id) {
  std::shared_ptr<Context> primary;
  {
    const std::lock_guard lock(devices().mutex);
    Device& device = devices().all.at(static_cast<size_t>(id));
    if (device.uses == 0) device.primary = make_context(id, /*is_primary=*/true);
    ++device.uses;
    primary = device.primary;
  }
  set_current_context(std::move(primary));
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

void reset_device(const Call& call, int32_t id, bool force) {
  require_device(call, "deviceId", id);
  if (runs_task_of(id)) inside_own_task(call);
  Belongings taken;
  {
    const std::lock_guard lock(devices().mutex);
    Device& device = devices().all.at(static_cast<size_t>(id));
    if (device.uses == 0) {
      call.failed(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, fmt::format("device {} is not set", id),
                  "aclrtResetDevice was called more often than aclrtSetDevice.");
    }
    if (!force && device.uses > 1) {
      --device.uses;
      return;
    }
    taken = take_belongings(id);
    device = {};
  }
  release(taken, /*drain=*/!force);
}

aclError note_task_failure(const Call& call, Stream& stream) {
  const TaskFailure failure = stream.take_failure();
  if (failure.status == ACL_SUCCESS) return ACL_SUCCESS;
  return call.note(failure.status, failure.message,
                   "The task ran, and failed, after the call that queued it had returned.");
}

void synchronize(const Call& call, Deadline deadline) {
  const aclError status = wait_for_device(call, require_context(call).device(), deadline);
  if (status != ACL_SUCCESS) throw Failure{status};
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

void release_all_devices(const Call& call) {
  for (int32_t id = 0; id < device_count(); ++id) {
    if (runs_task_of(id)) inside_own_task(call);
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
}

aclError wait_for_device(const Call& call, int32_t device, Deadline deadline) {
  refuse_captured_on(call, device);
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
    check_waited(call, on_device[i]->wait(tickets[i], deadline), [&] {
      call.failed(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                  fmt::format("work on device {} took longer than the timeout", device), "",
                  "The work goes on; synchronise again to wait for it.");
    });
  }
  aclError first = ACL_SUCCESS;
  for (const auto& stream : on_device) {
    const aclError status = note_task_failure(call, *stream);
    if (first == ACL_SUCCESS) first = status;
  }
  return first;
}

void report_task_failure(const Call& call, Stream& stream) {
  if (const aclError status = note_task_failure(call, stream)) throw Failure{status};
}

void inside_own_task(const Call& call) {
  call.unsupported("a task or callback cannot wait for the stream that runs it",
                   "Synchronise from a thread of the program.");
}

void process_ends(const Call& call) {
  call.failed(ACL_ERROR_RT_STREAM_ABORT,
              "the process ends, and the stream's remaining work is not done",
              "The program returned from main, or called exit, with work in its streams.",
              "Synchronise before the program ends.");
}

}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtSetDevice(int32_t deviceId) {
  return entry(__func__, [&](const Call& call) {
    require_device(call, "deviceId", deviceId);
    set_device(deviceId);
  });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return entry(__func__,
               [&](const Call& call) { return reset_device(call, deviceId, /*force=*/false); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return entry(__func__,
               [&](const Call& call) { return reset_device(call, deviceId, /*force=*/true); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return entry(__func__, [&](const Call& call) {
    call.require(deviceId, "deviceId");
    *deviceId = require_context(call).device();
  });
}

aclError aclrtSynchronizeDevice() {
  return entry(__func__, [&](const Call& call) { synchronize(call, {}); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return entry(__func__, [&](const Call& call) {
    check_timeout(call, timeout);
    synchronize(call, deadline_after(timeout));
  });
}
