/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnGridSampler2D under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_GRID_SAMPLER_2D_H_
#define ACLGRAD_ACLNNOP_ACLNN_GRID_SAMPLER_2D_H_

#include "aclnnop/aclnn_grid_sampler2d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_GRID_SAMPLER_2D_H_ */
