/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveAvgPool3dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
