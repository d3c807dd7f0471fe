/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearestExact2d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT2D_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT2D_H_

#include "aclnnop/aclnn_upsample_nearest_exact_2d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT2D_H_ */
