/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearestExact3dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_nearest_exact_3d_backward.h"
