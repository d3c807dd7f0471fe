// SPDX-License-Identifier: Apache-2.0
// One rank of a group, as a program holds it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl.h"
#include "ops/hccl/group.h"
#include "ops/hccl/rendezvous.h"

namespace aclgrad::hccl {

// What a communicator is set to.
struct Settings {
  std::string name = {};  // "": to be made up
  Timeout exec_timeout;
  std::chrono::milliseconds connect_timeout;
};

// From the environment: HCCL_EXEC_TIMEOUT, and HCCL_CONNECT_TIMEOUT unless
// ACLGRAD_HCCL_CONNECT_TIMEOUT gives another number of seconds. Variables of the vendor's that are
// about transport have no effect. Throws a Failure (HCCL_E_PARA) that names a bad variable.
Settings default_settings();

// Those, changed by what the config sets; it may be of an older or newer version than ours. Throws
// a Failure (HCCL_E_PARA) for null and for bad values.
Settings settings_from(const HcclCommConfig* config, Settings settings);

class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  struct Identity {
    std::shared_ptr<Group> group;
    Invitation invitation;
    uint32_t rank = 0;
    int32_t device = 0;
    bool is_part_of_another = false;  // made by HcclCreateSubCommConfig
  };

  // The settings have a name.
  Communicator(Identity its, Settings set_to)
      : identity(std::move(its)), settings(std::move(set_to)) {}

  const Identity identity;
  const Settings settings;

  uint32_t rank() const { return identity.rank; }
  uint32_t size() const { return identity.group->size(); }

  // Gives the operation the number of the next one of all ranks, or of the next transfer to or from
  // a rank, among those that are recorded or those that are not.
  Number number(Operation& operation, bool recorded);

  // Does the rank's part, and remembers the first failure.
  Outcome perform(const Operation& operation, const Number& number) noexcept;
  HcclResult async_error() const { return async_error_.load(std::memory_order_acquire); }

  // Of what is queued on streams.
  void begin_task();
  void end_task();

  // Waits for what is queued, within the timeout of operations, and leaves the group.
  void end();

 private:
  struct Counters {
    uint64_t run = 0;
    uint64_t recorded = 0;

    Number next(bool is_recorded);
  };

  std::atomic<HcclResult> async_error_{HCCL_SUCCESS};
  std::mutex mutex_;
  std::condition_variable tasks_changed_;
  uint64_t tasks_ = 0;
  Counters collectives_;
  std::map<std::pair<uint32_t, bool>, Counters> transfers_;
};

// Makes the operation a task of the stream. Throws a Failure.
void queue(Communicator& communicator, aclrtStream stream, Operation operation);

// For a call: while it exists, the communicator cannot be destroyed. Throws a Failure when it
// is not live.
std::shared_ptr<Communicator> use(HcclComm handle);

// The handle of a communicator in the making, and its name: both stay when it is complete.
class Registration {
 public:
  // Throws a Failure when a communicator of the device has the name already.
  Registration(int32_t device, const std::string& name);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  HcclComm complete(std::shared_ptr<Communicator> communicator);

 private:
  const HcclComm handle_;
};

// Takes the handle away. Throws a Failure: 1 when it is not live on the device, 20 while a call
// uses it.
std::shared_ptr<Communicator> remove(HcclComm handle, int32_t device);

}  // namespace aclgrad::hccl
