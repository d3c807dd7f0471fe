/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReflectionPad1dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_reflection_pad1d_backward.h"
