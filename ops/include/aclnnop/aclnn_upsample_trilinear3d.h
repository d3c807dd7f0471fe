/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleTrilinear3d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_trilinear_3d.h"
