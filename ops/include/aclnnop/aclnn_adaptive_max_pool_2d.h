/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveMaxPool2d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL_2D_H_
#define ACLGRAD_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL_2D_H_

#include "aclnnop/aclnn_adaptive_max_pool2d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL_2D_H_ */
