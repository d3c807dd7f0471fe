// SPDX-License-Identifier: Apache-2.0
// No sin, but two calls for the log: one that is refused, and one that is not.
#include "aclnnop/aclnn_elu.h"
#include "sin.h"

int main() {
  const sins::Device device;
  void* const memory = sins::zeros(64);
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
  sins::require(aclnnEluGetWorkspaceSize(in, alpha, alpha, alpha, out, &size, &executor));
  sins::require(aclnnElu(nullptr, 0, executor, device.stream));
  sins::require(aclrtSynchronizeStream(device.stream));
  aclDestroyScalar(alpha);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return refused == 161001 ? 0 : 1;
}
