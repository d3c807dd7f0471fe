// SPDX-License-Identifier: Apache-2.0
// Frees the memory of a recording and replays it.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  void* const result = misuse::zeros(64);
  aclTensor* const in = misuse::floats(memory, 16);
  aclTensor* const out = misuse::floats(result, 16);
  aclOpExecutor* const executor = misuse::plan_selu(in, out);
  misuse::require(aclSetAclOpExecutorRepeatable(executor));
  aclmdlRI model = nullptr;
  misuse::require(aclmdlRICaptureBegin(device.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  misuse::require(aclnnSelu(nullptr, 0, executor, device.stream));
  misuse::require(aclmdlRICaptureEnd(device.stream, &model));
  misuse::require(aclmdlRIExecuteAsync(model, device.stream));
  misuse::require(aclrtSynchronizeStream(device.stream));
  misuse::require(aclrtFree(result));
  misuse::require(aclmdlRIExecuteAsync(model, device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  misuse::require(aclmdlRIDestroy(model));
  aclDestroyAclOpExecutor(executor);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return status == 507015 ? 0 : 1;
}
