/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleBilinear2d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_bilinear_2d.h"
