// SPDX-License-Identifier: Apache-2.0
// No sin: asks until a wait for an event is over, and frees what was written before the event.
#include "sin.h"

int main() {
  const sins::Device device;
  void* const memory = sins::allocate(64);
  aclrtStream waiting = nullptr;
  aclrtEvent event = nullptr;
  sins::require(aclrtCreateStream(&waiting));
  sins::require(aclrtCreateEvent(&event));
  sins::require(aclrtMemsetAsync(memory, 64, 0, 64, device.stream));
  sins::require(aclrtRecordEvent(event, device.stream));
  sins::require(aclrtStreamWaitEvent(waiting, event));
  auto status = ACL_EVENT_WAIT_STATUS_NOT_READY;
  while (status != ACL_EVENT_WAIT_STATUS_COMPLETE) {
    sins::require(aclrtQueryEventWaitStatus(event, &status));
  }
  sins::require(aclrtFree(memory));
  aclrtDestroyEvent(event);
  aclrtDestroyStream(waiting);
  return 0;
}
