/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnLogSigmoid under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_logsigmoid.h"
