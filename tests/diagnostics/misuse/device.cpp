// SPDX-License-Identifier: Apache-2.0
// No misuse, but calls that work here and that devices were seen to refuse.
#include <initializer_list>
#include <vector>

#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_neg.h"
#include "misuse.h"

void* memory;

aclTensor* tensor(std::vector<int64_t> shape, aclDataType dtype, aclFormat format = ACL_FORMAT_ND,
                  std::vector<int64_t> strides = {}) {
  const int64_t storage[] = {1024};
  return aclCreateTensor(shape.data(), shape.size(), dtype,
                         strides.empty() ? nullptr : strides.data(), 0, format, storage, 1, memory);
}

uint64_t size;
aclOpExecutor* executor;

void planned(int status) {
  misuse::require(status);
  misuse::require(aclDestroyAclOpExecutor(executor));
}

void pool(aclDataType indices, aclFormat format) {
  const int64_t two[] = {2, 2};
  const int64_t none[] = {0, 0};
  const int64_t one[] = {1, 1};
  aclIntArray* const kernel = aclCreateIntArray(two, 2);
  aclIntArray* const padding = aclCreateIntArray(none, 2);
  aclIntArray* const dilation = aclCreateIntArray(one, 2);
  planned(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
      tensor({1, 1, 2, 2}, ACL_FLOAT, format), tensor({1, 1, 4, 4}, ACL_FLOAT, format),
      tensor({1, 1, 2, 2}, indices, format), kernel, kernel, padding, dilation, false,
      tensor({1, 1, 4, 4}, ACL_FLOAT, format), &size, &executor));
}

void negate(std::vector<int64_t> strides) {
  planned(aclnnNegGetWorkspaceSize(tensor({2, 2}, ACL_FLOAT, ACL_FORMAT_ND, strides),
                                   tensor({2, 2}, ACL_FLOAT), &size, &executor));
}

void scale(size_t count) {
  std::vector<const aclTensor*> in;
  std::vector<const aclTensor*> out;
  for (size_t i = 0; i < count; ++i) {
    in.push_back(tensor({1}, ACL_FLOAT));
    out.push_back(tensor({1}, ACL_FLOAT));
  }
  float two = 2;
  planned(aclnnForeachMulScalarV2GetWorkspaceSize(
      aclCreateTensorList(in.data(), count), aclCreateScalar(&two, ACL_FLOAT),
      aclCreateTensorList(out.data(), count), &size, &executor));
}

int main() {
  const misuse::Device device;
  memory = misuse::zeros(8192);
  pool(ACL_INT32, ACL_FORMAT_NCHW);  // this a device takes
  pool(ACL_INT64, ACL_FORMAT_NCHW);
  pool(ACL_INT32, ACL_FORMAT_ND);
  pool(ACL_INT64, ACL_FORMAT_NCHW);  // said already
  planned(aclnnCumsumGetWorkspaceSize(tensor({4}, ACL_BOOL), 0, ACL_INT64, tensor({4}, ACL_INT64),
                                      &size, &executor));
  negate({2, 1});
  negate({1, 2});
  negate({4, 1});  // with gaps
  scale(50);
  scale(51);
  aclrtFree(memory);
}
