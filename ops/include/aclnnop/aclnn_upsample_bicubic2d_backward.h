/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleBicubic2dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"
