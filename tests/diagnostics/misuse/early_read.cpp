// SPDX-License-Identifier: Apache-2.0
// Reads a result before the stream that makes it is synchronised; with an argument, after it has
// been woken, when it is over.
#include <unistd.h>

#include "aclgrad_ext.h"
#include "misuse.h"

int main(int arguments, char**) {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  void* const result = misuse::zeros(64);
  aclTensor* const in = misuse::floats(memory, 16);
  aclTensor* const out = misuse::floats(result, 16);
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(in, out), device.stream));
  if (arguments > 1) {
    usleep(100000);
    misuse::require(aclgradWakeStream(device.stream));
  }
  float host[16] = {};
  misuse::require(aclrtMemcpy(host, sizeof(host), result, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
  misuse::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return aclrtFree(result);
}
