/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleTrilinear3dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"
