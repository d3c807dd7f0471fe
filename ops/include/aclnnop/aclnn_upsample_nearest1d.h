/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleNearest1d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_nearest_1d.h"
