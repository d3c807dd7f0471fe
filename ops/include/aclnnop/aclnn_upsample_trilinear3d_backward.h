/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleTrilinear3dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_BACKWARD_H_

#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_BACKWARD_H_ */
