/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnGridSampler2DBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_grid_sampler2d_backward.h"
