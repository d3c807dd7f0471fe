/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearest3dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
