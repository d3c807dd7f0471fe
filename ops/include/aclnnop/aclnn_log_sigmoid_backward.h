/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnLogSigmoidBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_logsigmoid_backward.h"
