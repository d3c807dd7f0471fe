// SPDX-License-Identifier: Apache-2.0
// No misuse, but two calls with a list of tensors for the log, one of them refused.
#include "aclnnop/aclnn_cat.h"
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  const int64_t shape[] = {2, 3};
  const int64_t joined[] = {4, 3};
  const auto make = [memory](const int64_t* sizes) {
    return aclCreateTensor(sizes, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, sizes, 2, memory);
  };
  const aclTensor* const halves[] = {make(shape), make(shape), nullptr};
  aclTensorList* const two = aclCreateTensorList(halves, 2);
  aclTensorList* const with_null = aclCreateTensorList(halves + 1, 2);
  aclTensor* const out = make(joined);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int refused = aclnnCatGetWorkspaceSize(with_null, 0, out, &size, &executor);
  misuse::require(aclnnCatGetWorkspaceSize(two, 0, out, &size, &executor));
  misuse::require(aclDestroyAclOpExecutor(executor));
  aclDestroyTensorList(two);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return refused == 161001 ? 0 : 1;
}
