/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxPool3dWithArgmax under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_3D_WITH_ARGMAX_H_
#define ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_3D_WITH_ARGMAX_H_

#include "aclnnop/aclnn_max_pool3d_with_argmax.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_MAX_POOL_3D_WITH_ARGMAX_H_ */
