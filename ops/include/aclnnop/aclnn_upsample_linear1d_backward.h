/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleLinear1dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
