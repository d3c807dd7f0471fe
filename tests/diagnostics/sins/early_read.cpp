// SPDX-License-Identifier: Apache-2.0
// Reads a result before the stream that makes it is synchronised; with an argument, after it has
// been asked to hurry, when it is over.
#include <unistd.h>

#include "aclgrad_ext.h"
#include "sin.h"

int main(int arguments, char**) {
  const sins::Device device;
  void* const memory = sins::zeros(64);
  void* const result = sins::zeros(64);
  aclTensor* const in = sins::floats(memory, 16);
  aclTensor* const out = sins::floats(result, 16);
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(in, out), device.stream));
  if (arguments > 1) {
    usleep(100000);
    sins::require(aclgradHurryStream(device.stream));
  }
  float host[16] = {};
  sins::require(aclrtMemcpy(host, sizeof(host), result, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
  sins::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return aclrtFree(result);
}
