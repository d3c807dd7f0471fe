/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReflectionPad2dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_2D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_2D_BACKWARD_H_

#include "aclnnop/aclnn_reflection_pad2d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_2D_BACKWARD_H_ */
