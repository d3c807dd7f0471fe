/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveAvgPool3d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL_3D_H_
#define ACLGRAD_ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL_3D_H_

#include "aclnnop/aclnn_adaptive_avg_pool3d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL_3D_H_ */
