/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnGridSampler2D under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_grid_sampler2d.h"
