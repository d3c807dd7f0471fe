/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleBilinear2dBackward and aclnnUpsampleBilinear2dBackwardV2 under the other spelling of
 * their header. */
#pragma once

#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
