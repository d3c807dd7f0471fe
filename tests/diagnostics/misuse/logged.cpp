// SPDX-License-Identifier: Apache-2.0
// No misuse, but two calls for the log: one that is refused, and one that is not.
#include "aclnnop/aclnn_elu.h"
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  const int64_t shape[] = {2, 3};
  const int64_t transposed[] = {1, 2};
  const int64_t storage[] = {8};
  aclTensor* const in =
      aclCreateTensor(shape, 2, ACL_FLOAT, transposed, 2, ACL_FORMAT_ND, storage, 1, memory);
  aclTensor* const out =
      aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 1, memory);
  float half = 0.5;
  aclScalar* const alpha = aclCreateScalar(&half, ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int refused = aclnnEluGetWorkspaceSize(in, alpha, nullptr, alpha, out, &size, &executor);
  misuse::require(aclnnEluGetWorkspaceSize(in, alpha, alpha, alpha, out, &size, &executor));
  misuse::require(aclnnElu(nullptr, 0, executor, device.stream));
  misuse::require(aclrtSynchronizeStream(device.stream));
  aclDestroyScalar(alpha);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return refused == 161001 ? 0 : 1;
}
