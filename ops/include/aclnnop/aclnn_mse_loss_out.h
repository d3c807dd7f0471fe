/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean squared error, under its second name.
 */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MSE_LOSS_OUT_H_
#define ACLGRAD_ACLNNOP_ACLNN_MSE_LOSS_OUT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnMseLoss in aclnnop/aclnn_mse_loss.h, in everything: parameters, checks, results. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossOutGetWorkspaceSize(const aclTensor* self,
                                                                const aclTensor* target,
                                                                int64_t reduction, aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossOut(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_MSE_LOSS_OUT_H_ */
