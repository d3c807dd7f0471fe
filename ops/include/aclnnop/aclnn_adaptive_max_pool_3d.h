/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveMaxPool3d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_adaptive_max_pool3d.h"
