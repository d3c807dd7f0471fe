/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearestExact1d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT1D_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT1D_H_

#include "aclnnop/aclnn_upsample_nearest_exact_1d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT1D_H_ */
