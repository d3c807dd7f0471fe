/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleBilinear2dBackward and aclnnUpsampleBilinear2dBackwardV2 under the other spelling of
 * their header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_BACKWARD_H_

#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_BACKWARD_H_ */
