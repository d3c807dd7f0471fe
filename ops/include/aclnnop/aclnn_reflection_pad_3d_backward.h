/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReflectionPad3dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_reflection_pad3d_backward.h"
