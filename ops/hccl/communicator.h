// SPDX-License-Identifier: Apache-2.0
// One rank of a group, as a program holds it.
#ifndef ACLGRAD_OPS_HCCL_COMMUNICATOR_H_
#define ACLGRAD_OPS_HCCL_COMMUNICATOR_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl.h"
#include "ops/hccl/config.h"
#include "ops/hccl/group.h"
#include "ops/hccl/rendezvous.h"

namespace aclgrad::hccl {

class Communicator {
 public:
  struct Identity {
    std::shared_ptr<Group> group;
    Invitation invitation;
    uint32_t rank = 0;
    int32_t device = 0;
    bool is_part_of_another = false;  // made by HcclCreateSubCommConfig
  };

  // The settings have a name.
  Communicator(Identity identity, Settings settings);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  uint32_t rank() const { return identity_.rank; }
  uint32_t size() const { return identity_.group->size(); }
  int32_t device() const { return identity_.device; }
  const Invitation& invitation() const { return identity_.invitation; }
  int process_of(uint32_t other) const { return identity_.group->process_of(other); }
  bool is_part_of_another() const { return identity_.is_part_of_another; }
  const Settings& settings() const { return settings_; }

  // The number of the next operation of all ranks, or of the next transfer to or from a rank, among
  // those that are recorded or those that are not. `run` counts from 0.
  Number number_collective(bool recorded);
  Number number_transfer(uint32_t peer, bool is_send, bool recorded);

  // Does the rank's part, and remembers the first failure.
  Outcome perform(const Operation& operation, const Number& number);
  HcclResult async_error() const { return async_error_.load(std::memory_order_acquire); }

  // Of what is queued on streams.
  void begin_task();
  void end_task();

  // Waits for what is queued, within the timeout of operations, and leaves the group.
  void end();

 private:
  Number count(std::pair<uint64_t, uint64_t>& counters, bool recorded);

  const Identity identity_;
  const Settings settings_;
  std::atomic<HcclResult> async_error_{HCCL_SUCCESS};

  std::mutex mutex_;
  std::condition_variable tasks_changed_;
  uint64_t tasks_ = 0;
  // How many there were: run at once, recorded.
  std::pair<uint64_t, uint64_t> collectives_;
  std::map<std::pair<uint32_t, bool>, std::pair<uint64_t, uint64_t>> transfers_;
};

// Numbers the operation and makes it a task of the stream. Throws a Failure.
void queue(const std::shared_ptr<Communicator>& communicator, aclrtStream stream,
           Operation operation);

// A call that uses a communicator; meanwhile nobody can destroy it.
class Use {
 public:
  explicit Use(HcclComm handle);
  ~Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  // Null when it is not live.
  const std::shared_ptr<Communicator>& communicator() const { return communicator_; }

 private:
  HcclComm handle_ = nullptr;
  std::shared_ptr<Communicator> communicator_;
};

// A name of a device's communicator in the making; it goes with the communicator once there is one.
class NameReservation {
 public:
  // Throws a Failure when a communicator of the device has the name already.
  NameReservation(int32_t device, const std::string& name);
  ~NameReservation();
  NameReservation(const NameReservation&) = delete;
  NameReservation& operator=(const NameReservation&) = delete;

  void keep() { is_kept_ = true; }

 private:
  const int32_t device_;
  const std::string name_;
  bool is_kept_ = false;
};

// The handle of a communicator whose name is reserved.
HcclComm add(std::shared_ptr<Communicator> communicator);

// Takes the handle away. Throws a Failure: 1 when it is not live on the device, 20 while a call
// uses it.
std::shared_ptr<Communicator> remove(HcclComm handle, int32_t device);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_COMMUNICATOR_H_
