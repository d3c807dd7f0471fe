/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnNLLLoss2dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_NLL_LOSS_2D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_NLL_LOSS_2D_BACKWARD_H_

#include "aclnnop/aclnn_nll_loss2d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_NLL_LOSS_2D_BACKWARD_H_ */
