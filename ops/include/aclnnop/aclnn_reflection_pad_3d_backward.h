/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReflectionPad3dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_3D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_3D_BACKWARD_H_

#include "aclnnop/aclnn_reflection_pad3d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_3D_BACKWARD_H_ */
