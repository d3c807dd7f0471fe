/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleTrilinear3d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_H_
#define ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_H_

#include "aclnnop/aclnn_upsample_trilinear_3d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_H_ */
