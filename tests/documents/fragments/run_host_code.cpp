// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "acl/acl.h"
#include "aclnnop/aclnn_selu_backward.h"

void call(const aclTensor* grad, const aclTensor* result, aclTensor* out, uint64_t size,
          aclOpExecutor* executor) {
  // block 1
}
