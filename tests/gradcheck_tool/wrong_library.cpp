// SPDX-License-Identifier: Apache-2.0
// An operator library with mistakes, for the tool to find. What it does not define comes from the
// real one, on which it is built.
#include <dlfcn.h>

#include <string>

#include "acl/acl.h"
#include "aclgrad_ext.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_tanh.h"

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

const aclScalar* scalar(float value) { return aclCreateScalar(&value, ACL_FLOAT); }

}  // namespace

extern "C" {

// SELU's gradient as the older documents have it: lambda is missing.
aclnnStatus aclnnSeluBackwardGetWorkspaceSize(const aclTensor* grad, const aclTensor* result,
                                              aclTensor* out, uint64_t* size,
                                              aclOpExecutor** executor) {
  static const aclScalar* const alpha = scalar(1.6732632f);
  static const aclScalar* const one = scalar(1);
  return aclnnEluBackwardGetWorkspaceSize(grad, alpha, one, one, true, result, out, size, executor);
}

aclnnStatus aclnnSeluBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                              aclrtStream stream) {
  return aclnnEluBackward(workspace, size, executor, stream);
}

// The open interval where the closed one is documented: wrong at -3 and 3 only.
aclnnStatus aclnnHardswishBackwardGetWorkspaceSize(const aclTensor* grad, const aclTensor* self,
                                                   aclTensor* out, uint64_t* size,
                                                   aclOpExecutor** executor) {
  return aclnnHardswishBackwardV2GetWorkspaceSize(grad, self, out, size, executor);
}

aclnnStatus aclnnHardswishBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return aclnnHardswishBackwardV2(workspace, size, executor, stream);
}

// The erf form where the tanh form is meant.
aclnnStatus aclnnGeluBackwardGetWorkspaceSize(const aclTensor* grad, const aclTensor* self,
                                              const aclTensor* out, uint64_t* size,
                                              aclOpExecutor** executor) {
  std::string form = "none";
  return aclnnGeluBackwardV2GetWorkspaceSize(grad, self, form.data(), const_cast<aclTensor*>(out),
                                             size, executor);
}

aclnnStatus aclnnGeluBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                              aclrtStream stream) {
  return aclnnGeluBackwardV2(workspace, size, executor, stream);
}

// A forward with alpha and scale exchanged.
aclnnStatus aclnnEluGetWorkspaceSize(const aclTensor* self, const aclScalar* alpha,
                                     const aclScalar* scale, const aclScalar* input_scale,
                                     aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
  static auto* const plan = real<decltype(aclnnEluGetWorkspaceSize)>("aclnnEluGetWorkspaceSize");
  return plan(self, scale, alpha, input_scale, out, size, executor);
}

// A product that loses the number's sign.
aclnnStatus aclnnMulsGetWorkspaceSize(const aclTensor* self, const aclScalar* other, aclTensor* out,
                                      uint64_t* size, aclOpExecutor** executor) {
  static auto* const plan = real<decltype(aclnnMulsGetWorkspaceSize)>("aclnnMulsGetWorkspaceSize");
  static const aclScalar* const one = scalar(1);
  return plan(self, other == nullptr ? nullptr : one, out, size, executor);
}

// A product's table that is not its own.
aclnnStatus aclnnHardswishGetWorkspaceSize(const aclTensor* self, const aclTensor* out,
                                           uint64_t* size, aclOpExecutor** executor) {
  static auto* const plan =
      real<decltype(aclnnHardswishGetWorkspaceSize)>("aclnnHardswishGetWorkspaceSize");
  const std::string product = aclrtGetSocName();
  if (product.starts_with("Ascend310P")) aclgradSetSocName("Ascend910B");
  const aclnnStatus status = plan(self, out, size, executor);
  aclgradSetSocName(product.c_str());
  return status;
}

// Phase two without a look at its executor.
aclnnStatus aclnnHardswish(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                           aclrtStream stream) {
  static auto* const run = real<decltype(aclnnHardswish)>("aclnnHardswish");
  return executor == nullptr ? 0 : run(workspace, workspaceSize, executor, stream);
}

// A loop whose remainder is another function: right for lengths that 8 divides.
aclnnStatus aclnnTanhGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* size,
                                      aclOpExecutor** executor) {
  int64_t* dims = nullptr;
  uint64_t rank = 0;
  aclGetViewShape(self, &dims, &rank);
  const int64_t last = rank == 0 ? 1 : dims[rank - 1];
  delete[] dims;
  if (last % 8 != 0) return aclnnSigmoidGetWorkspaceSize(self, out, size, executor);
  static auto* const plan = real<decltype(aclnnTanhGetWorkspaceSize)>("aclnnTanhGetWorkspaceSize");
  return plan(self, out, size, executor);
}

aclnnStatus aclnnTanh(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
  static auto* const run = real<decltype(aclnnTanh)>("aclnnTanh");
  const aclnnStatus status = run(workspace, size, executor, stream);
  return status == 0 ? 0 : aclnnSigmoid(workspace, size, executor, stream);
}

// An operator without a contract.
ACL_FUNC_VISIBILITY aclnnStatus aclnnUnheardOfGetWorkspaceSize(const aclTensor*, aclTensor*,
                                                               uint64_t*, aclOpExecutor**) {
  return 0;
}

// The right numbers with the wrong status for a null pointer.
aclnnStatus aclnnMseLossGetWorkspaceSize(const aclTensor* self, const aclTensor* target,
                                         int64_t reduction, aclTensor* out, uint64_t* size,
                                         aclOpExecutor** executor) {
  static auto* const plan =
      real<decltype(aclnnMseLossGetWorkspaceSize)>("aclnnMseLossGetWorkspaceSize");
  if (target == nullptr) return 161002;
  return plan(self, target, reduction, out, size, executor);
}

}  // extern "C"
