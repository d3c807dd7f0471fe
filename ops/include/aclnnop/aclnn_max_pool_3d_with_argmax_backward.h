/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxPool3dWithArgmaxBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_3D_WITH_ARGMAX_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_3D_WITH_ARGMAX_BACKWARD_H_

#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_3D_WITH_ARGMAX_BACKWARD_H_ */
