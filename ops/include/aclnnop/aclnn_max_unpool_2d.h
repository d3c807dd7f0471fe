/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxUnpool2d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_max_unpool2d.h"
