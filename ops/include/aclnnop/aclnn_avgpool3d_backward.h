/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool3dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_avg_pool3d_backward.h"
