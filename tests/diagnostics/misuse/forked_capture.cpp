// SPDX-License-Identifier: Apache-2.0
// Records two streams: the second reads what the first writes, but its event comes too early.
#include "misuse.h"

void queue_selu(void* from, void* to, aclrtStream stream) {
  aclTensor* const in = misuse::floats(from, 16);
  aclTensor* const out = misuse::floats(to, 16);
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(in, out), stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
}

int main() {
  const misuse::Device device;
  aclrtStream other = nullptr;
  aclrtEvent fork = nullptr;
  aclrtEvent join = nullptr;
  misuse::require(aclrtCreateStream(&other));
  misuse::require(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
  misuse::require(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
  void* const memory = misuse::zeros(192);
  char* const bytes = static_cast<char*>(memory);
  misuse::require(aclmdlRICaptureBegin(device.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  misuse::require(aclrtRecordEvent(fork, device.stream));
  queue_selu(bytes, bytes + 64, device.stream);
  misuse::require(aclrtStreamWaitEvent(other, fork));
  queue_selu(bytes + 64, bytes + 128, other);
  misuse::require(aclrtRecordEvent(join, other));
  misuse::require(aclrtStreamWaitEvent(device.stream, join));
  aclmdlRI model = nullptr;
  misuse::require(aclmdlRICaptureEnd(device.stream, &model));
  misuse::require(aclmdlRIDestroy(model));
  aclrtDestroyEvent(fork);
  aclrtDestroyEvent(join);
  aclrtDestroyStream(other);
  return aclrtFree(memory);
}
