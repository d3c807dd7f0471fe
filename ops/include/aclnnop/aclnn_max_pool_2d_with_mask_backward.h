/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxPool2dWithMaskBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_max_pool2d_with_mask_backward.h"
