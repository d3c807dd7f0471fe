/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReflectionPad2dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_reflection_pad2d_backward.h"
