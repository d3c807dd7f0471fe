/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearest2d and aclnnUpsampleNearest2dV2 under the other spelling of their header. */
#pragma once

#include "aclnnop/aclnn_upsample_nearest_2d.h"
