/* SPDX-License-Identifier: Apache-2.0 */
/* Declares aclnnFusedInferAttentionScoreV2, which nothing carries out here. */
#pragma once

#include "aclnnop/aclnn_operators_unsupported.h"
