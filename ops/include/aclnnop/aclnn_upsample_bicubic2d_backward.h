/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleBicubic2dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_BICUBIC2D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_BICUBIC2D_BACKWARD_H_

#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_BICUBIC2D_BACKWARD_H_ */
