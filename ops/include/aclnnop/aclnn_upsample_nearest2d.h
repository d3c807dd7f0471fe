/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearest2d and aclnnUpsampleNearest2dV2 under the other spelling of their header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST2D_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST2D_H_

#include "aclnnop/aclnn_upsample_nearest_2d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST2D_H_ */
