// SPDX-License-Identifier: Apache-2.0
#include "mock_operators.h"

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"

using aclgrad::mock::Operators;

extern "C" {

aclnnStatus aclnnSeluGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return Operators::current().plan_selu(self, out, workspaceSize, executor);
}
aclnnStatus aclnnSelu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                      aclrtStream stream) {
  return Operators::current().run("aclnnSelu", workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnSeluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* result,
                                              aclTensor* gradInput, uint64_t* workspaceSize,
                                              aclOpExecutor** executor) {
  return Operators::current().plan_selu_backward(gradOutput, result, gradInput, workspaceSize,
                                                 executor);
}
aclnnStatus aclnnSeluBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                              aclrtStream stream) {
  return Operators::current().run("aclnnSeluBackward", workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnGeGluV3GetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t approximate,
                                         bool activateLeft, aclTensor* out, aclTensor* outGelu,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return Operators::current().plan_geglu(self, dim, approximate, activateLeft, out, outGelu,
                                         workspaceSize, executor);
}
aclnnStatus aclnnGeGluV3(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                         aclrtStream stream) {
  return Operators::current().run("aclnnGeGluV3", workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
                                                 const aclTensor* gelu, int64_t dim,
                                                 int64_t approximate, bool activateLeft,
                                                 aclTensor* gradInput, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return Operators::current().plan_geglu_backward(gradOutput, self, gelu, dim, approximate,
                                                  activateLeft, gradInput, workspaceSize, executor);
}
aclnnStatus aclnnGeGluV3Backward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return Operators::current().run("aclnnGeGluV3Backward", workspace, workspaceSize, executor,
                                  stream);
}

aclnnStatus aclnnEluGetWorkspaceSize(const aclTensor* self, const aclScalar* alpha,
                                     const aclScalar* scale, const aclScalar* inputScale,
                                     aclTensor* out, uint64_t* workspaceSize,
                                     aclOpExecutor** executor) {
  return Operators::current().plan_elu(self, alpha, scale, inputScale, out, workspaceSize,
                                       executor);
}
aclnnStatus aclnnElu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                     aclrtStream stream) {
  return Operators::current().run("aclnnElu", workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnEluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclScalar* alpha,
                                             const aclScalar* scale, const aclScalar* inputScale,
                                             bool isResult, const aclTensor* selfOrResult,
                                             aclTensor* gradInput, uint64_t* workspaceSize,
                                             aclOpExecutor** executor) {
  return Operators::current().plan_elu_backward(gradOutput, alpha, scale, inputScale, isResult,
                                                selfOrResult, gradInput, workspaceSize, executor);
}
aclnnStatus aclnnEluBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                             aclrtStream stream) {
  return Operators::current().run("aclnnEluBackward", workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnApplyAdamWV2GetWorkspaceSize(aclTensor* varRef, aclTensor* mRef, aclTensor* vRef,
                                              aclTensor* maxGradNormOptionalRef,
                                              const aclTensor* grad, const aclTensor* step,
                                              float lr, float beta1, float beta2, float weightDecay,
                                              float eps, bool amsgrad, bool maximize,
                                              uint64_t* workspaceSize, aclOpExecutor** executor) {
  return Operators::current().plan_adam_w({varRef, mRef, vRef, maxGradNormOptionalRef, grad, step,
                                           lr, beta1, beta2, weightDecay, eps, amsgrad, maximize},
                                          workspaceSize, executor);
}
aclnnStatus aclnnApplyAdamWV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                              aclrtStream stream) {
  return Operators::current().run("aclnnApplyAdamWV2", workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor* selfRef, const aclTensor* other,
                                            const aclScalar* alpha, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return Operators::current().plan_inplace_add(selfRef, other, alpha, workspaceSize, executor);
}
aclnnStatus aclnnInplaceAdd(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                            aclrtStream stream) {
  return Operators::current().run("aclnnInplaceAdd", workspace, workspaceSize, executor, stream);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return Operators::current().make_repeatable(executor);
}
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return Operators::current().destroy(executor);
}

}  // extern "C"
