// SPDX-License-Identifier: Apache-2.0
// To be loaded before the operator library: an ELU whose gradient is wrong in the last digits, for
// gradients of 12 rows only, as a kernel may be for what is left over of a batch.
#include <dlfcn.h>

#include <cstdlib>

#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace {

int64_t rows_of(const aclTensor* tensor) {
  int64_t* dims = nullptr;
  uint64_t rank = 0;
  if (aclGetViewShape(tensor, &dims, &rank) != 0) return 0;
  const int64_t rows = rank > 0 ? dims[0] : 0;
  delete[] dims;
  return rows;
}

const aclScalar* nearly_one() {
  static float value = 1.000001F;
  static const aclScalar* const scalar = aclCreateScalar(&value, ACL_FLOAT);
  return scalar;
}

}  // namespace

extern "C" aclnnStatus aclnnEluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale,
    const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  static const auto next = reinterpret_cast<decltype(&aclnnEluBackwardGetWorkspaceSize)>(
      ::dlsym(RTLD_NEXT, "aclnnEluBackwardGetWorkspaceSize"));
  if (next == nullptr) std::abort();
  return next(gradOutput, alpha, rows_of(gradOutput) == 12 ? nearly_one() : scale, inputScale,
              isResult, selfOrResult, gradInput, workspaceSize, executor);
}
