/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleLinear1d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_LINEAR1D_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_LINEAR1D_H_

#include "aclnnop/aclnn_upsample_linear_1d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_LINEAR1D_H_ */
