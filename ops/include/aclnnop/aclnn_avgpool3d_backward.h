/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool3dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_

#include "aclnnop/aclnn_avg_pool3d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_ */
