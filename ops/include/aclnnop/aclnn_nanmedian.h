/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnNanMedian and aclnnNanMedianDim, by another name of their header. */
#pragma once

#include "aclnnop/aclnn_median.h"
