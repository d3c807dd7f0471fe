/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnGridSampler3DBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_GRID_SAMPLER_3D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_GRID_SAMPLER_3D_BACKWARD_H_

#include "aclnnop/aclnn_grid_sampler3d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_GRID_SAMPLER_3D_BACKWARD_H_ */
