/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleBicubic2d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_bicubic_2d.h"
