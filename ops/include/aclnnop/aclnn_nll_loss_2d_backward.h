/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnNLLLoss2dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_nll_loss2d_backward.h"
