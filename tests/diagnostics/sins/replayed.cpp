// SPDX-License-Identifier: Apache-2.0
// Frees the memory of a recording and replays it.
#include "sin.h"

int main() {
  const sins::Device device;
  void* const memory = sins::zeros(64);
  void* const result = sins::zeros(64);
  aclTensor* const in = sins::floats(memory, 16);
  aclTensor* const out = sins::floats(result, 16);
  aclOpExecutor* const executor = sins::plan_selu(in, out);
  sins::require(aclSetAclOpExecutorRepeatable(executor));
  aclmdlRI model = nullptr;
  sins::require(aclmdlRICaptureBegin(device.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  sins::require(aclnnSelu(nullptr, 0, executor, device.stream));
  sins::require(aclmdlRICaptureEnd(device.stream, &model));
  sins::require(aclmdlRIExecuteAsync(model, device.stream));
  sins::require(aclrtSynchronizeStream(device.stream));
  sins::require(aclrtFree(result));
  sins::require(aclmdlRIExecuteAsync(model, device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  sins::require(aclmdlRIDestroy(model));
  aclDestroyAclOpExecutor(executor);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return status == 507015 ? 0 : 1;
}
