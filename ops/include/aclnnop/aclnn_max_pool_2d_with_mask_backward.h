/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxPool2dWithMaskBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_2D_WITH_MASK_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_2D_WITH_MASK_BACKWARD_H_

#include "aclnnop/aclnn_max_pool2d_with_mask_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_2D_WITH_MASK_BACKWARD_H_ */
