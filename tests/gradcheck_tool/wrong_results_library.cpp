// SPDX-License-Identifier: Apache-2.0
// An operator library whose mistakes are in operators without a gradient, for the tool to find: of
// truth values, bits, integers, lists and places. What it does not define comes from the real one,
// on which it is built.
#include <dlfcn.h>

#include "aclnnop/aclnn_bitwise_not.h"
#include "aclnnop/aclnn_ceil.h"
#include "aclnnop/aclnn_floor.h"
#include "aclnnop/aclnn_foreach_add_list_v2.h"
#include "aclnnop/aclnn_foreach_non_finite_check_and_unscale.h"
#include "aclnnop/aclnn_foreach_sub_list_v2.h"
#include "aclnnop/aclnn_is_inf.h"
#include "aclnnop/aclnn_isposinf.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_sort.h"

namespace {

// Phase one of this library's own name in the library behind it.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// Phase two of an operator whose phase one is another's.
#define ACLGRAD_RUNS_AS(name, other)                                                              \
  aclnnStatus name(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) { \
    return other(workspace, size, executor, stream);                                              \
  }

extern "C" {

// One of two is enough.
aclnnStatus aclnnLogicalAndGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                            aclTensor* out, uint64_t* size,
                                            aclOpExecutor** executor) {
  return aclnnLogicalOrGetWorkspaceSize(self, other, out, size, executor);
}
ACLGRAD_RUNS_AS(aclnnLogicalAnd, aclnnLogicalOr)

// Forgets one of the infinities.
aclnnStatus aclnnIsInfGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* size,
                                       aclOpExecutor** executor) {
  return aclnnIsPosInfGetWorkspaceSize(self, out, size, executor);
}
ACLGRAD_RUNS_AS(aclnnIsInf, aclnnIsPosInf)

// The right bits, and another status for a null result.
aclnnStatus aclnnBitwiseNotGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* size,
                                            aclOpExecutor** executor) {
  if (out == nullptr) return 161002;
  static auto* const plan =
      real<decltype(aclnnBitwiseNotGetWorkspaceSize)>("aclnnBitwiseNotGetWorkspaceSize");
  return plan(self, out, size, executor);
}

// The form in place alone rounds the other way.
aclnnStatus aclnnInplaceFloorGetWorkspaceSize(aclTensor* self, uint64_t* size,
                                              aclOpExecutor** executor) {
  return aclnnInplaceCeilGetWorkspaceSize(self, size, executor);
}
ACLGRAD_RUNS_AS(aclnnInplaceFloor, aclnnInplaceCeil)

// Takes away what is to be added.
aclnnStatus aclnnForeachAddListV2GetWorkspaceSize(const aclTensorList* x1, const aclTensorList* x2,
                                                  const aclScalar* alpha, aclTensorList* out,
                                                  uint64_t* size, aclOpExecutor** executor) {
  return aclnnForeachSubListV2GetWorkspaceSize(x1, x2, alpha, out, size, executor);
}
ACLGRAD_RUNS_AS(aclnnForeachAddListV2, aclnnForeachSubListV2)

// Multiplies what it overwrites by the flag instead of the scale.
aclnnStatus aclnnForeachNonFiniteCheckAndUnscaleGetWorkspaceSize(aclTensorList* gradients,
                                                                 aclTensor* found,
                                                                 const aclTensor* scale,
                                                                 uint64_t* size,
                                                                 aclOpExecutor** executor) {
  static auto* const plan = real<decltype(aclnnForeachNonFiniteCheckAndUnscaleGetWorkspaceSize)>(
      "aclnnForeachNonFiniteCheckAndUnscaleGetWorkspaceSize");
  return plan(gradients, found, scale == nullptr ? nullptr : found, size, executor);
}

// Knows one order alone.
aclnnStatus aclnnSortGetWorkspaceSize(const aclTensor* self, bool stable, int64_t dim, bool,
                                      aclTensor* values, aclTensor* indices, uint64_t* size,
                                      aclOpExecutor** executor) {
  static auto* const plan = real<decltype(aclnnSortGetWorkspaceSize)>("aclnnSortGetWorkspaceSize");
  return plan(self, stable, dim, false, values, indices, size, executor);
}

}  // extern "C"
