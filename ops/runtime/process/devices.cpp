// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/process/devices.h"

#include <array>
#include <mutex>

#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/context/context.h"
#include "ops/runtime/context/event.h"
#include "ops/runtime/context/synchronize.h"
#include "ops/runtime/device/device.h"
#include "ops/runtime/memory/memory.h"
#include "ops/runtime/stream/timeout.h"

namespace aclgrad::runtime {
namespace {

struct Device {
  uint64_t uses = 0;
  std::shared_ptr<Context> primary;  // while uses > 0
};

struct Devices {
  std::mutex mutex;
  std::array<Device, kMaxDevices> all;
};

Devices& devices() { return never_destroyed<Devices>(); }

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

void synchronize(const Call& call, Deadline deadline) {
  const aclError status = wait_for_device(call, require_context(call).device(), deadline);
  if (status != ACL_SUCCESS) throw Failure{status};
}

}  // namespace

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
