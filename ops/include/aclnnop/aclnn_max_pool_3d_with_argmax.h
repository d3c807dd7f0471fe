/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxPool3dWithArgmax under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
