/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReflectionPad2d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_reflection_pad2d.h"
