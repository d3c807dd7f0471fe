// SPDX-License-Identifier: Apache-2.0
// No misuse: asks until a wait for an event is over, and frees what was written before the event.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::allocate(64);
  aclrtStream waiting = nullptr;
  aclrtEvent event = nullptr;
  misuse::require(aclrtCreateStream(&waiting));
  misuse::require(aclrtCreateEvent(&event));
  misuse::require(aclrtMemsetAsync(memory, 64, 0, 64, device.stream));
  misuse::require(aclrtRecordEvent(event, device.stream));
  misuse::require(aclrtStreamWaitEvent(waiting, event));
  auto status = ACL_EVENT_WAIT_STATUS_NOT_READY;
  while (status != ACL_EVENT_WAIT_STATUS_COMPLETE) {
    misuse::require(aclrtQueryEventWaitStatus(event, &status));
  }
  misuse::require(aclrtFree(memory));
  aclrtDestroyEvent(event);
  aclrtDestroyStream(waiting);
  return 0;
}
