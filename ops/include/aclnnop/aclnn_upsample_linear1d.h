/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUpsampleLinear1d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_upsample_linear_1d.h"
