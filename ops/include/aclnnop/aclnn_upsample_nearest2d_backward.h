/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearest2dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
