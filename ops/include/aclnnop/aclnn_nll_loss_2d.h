/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnNLLLoss2d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_NLL_LOSS_2D_H_
#define ACLGRAD_ACLNNOP_ACLNN_NLL_LOSS_2D_H_

#include "aclnnop/aclnn_nll_loss2d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_NLL_LOSS_2D_H_ */
