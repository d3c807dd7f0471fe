/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearestExact3dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT3D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT3D_BACKWARD_H_

#include "aclnnop/aclnn_upsample_nearest_exact_3d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT3D_BACKWARD_H_ */
