/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxUnpool2d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MAX_UNPOOL_2D_H_
#define ACLGRAD_ACLNNOP_ACLNN_MAX_UNPOOL_2D_H_

#include "aclnnop/aclnn_max_unpool2d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_MAX_UNPOOL_2D_H_ */
