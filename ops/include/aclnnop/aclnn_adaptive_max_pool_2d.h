/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveMaxPool2d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_adaptive_max_pool2d.h"
