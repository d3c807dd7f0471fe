/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReflectionPad3d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_reflection_pad3d.h"
