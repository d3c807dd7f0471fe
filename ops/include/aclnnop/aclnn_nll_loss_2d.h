/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnNLLLoss2d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_nll_loss2d.h"
