/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxUnpool3d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_max_unpool3d.h"
