// SPDX-License-Identifier: Apache-2.0
// Records two streams: the second reads what the first writes, but its event comes too early.
#include "sin.h"

void queue_selu(void* from, void* to, aclrtStream stream) {
  aclTensor* const in = sins::floats(from, 16);
  aclTensor* const out = sins::floats(to, 16);
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(in, out), stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
}

int main() {
  const sins::Device device;
  aclrtStream other = nullptr;
  aclrtEvent fork = nullptr;
  aclrtEvent join = nullptr;
  sins::require(aclrtCreateStream(&other));
  sins::require(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
  sins::require(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
  void* const memory = sins::zeros(192);
  char* const bytes = static_cast<char*>(memory);
  sins::require(aclmdlRICaptureBegin(device.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  sins::require(aclrtRecordEvent(fork, device.stream));
  queue_selu(bytes, bytes + 64, device.stream);
  sins::require(aclrtStreamWaitEvent(other, fork));
  queue_selu(bytes + 64, bytes + 128, other);
  sins::require(aclrtRecordEvent(join, other));
  sins::require(aclrtStreamWaitEvent(device.stream, join));
  aclmdlRI model = nullptr;
  sins::require(aclmdlRICaptureEnd(device.stream, &model));
  sins::require(aclmdlRIDestroy(model));
  aclrtDestroyEvent(fork);
  aclrtDestroyEvent(join);
  aclrtDestroyStream(other);
  return aclrtFree(memory);
}
