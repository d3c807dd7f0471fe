/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxUnpool3d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MAX_UNPOOL_3D_H_
#define ACLGRAD_ACLNNOP_ACLNN_MAX_UNPOOL_3D_H_

#include "aclnnop/aclnn_max_unpool3d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_MAX_UNPOOL_3D_H_ */
