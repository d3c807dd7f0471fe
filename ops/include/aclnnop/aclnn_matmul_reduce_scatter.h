/* SPDX-License-Identifier: Apache-2.0 */
/* Declares aclnnMatmulReduceScatter, which nothing carries out here. */
#pragma once

#include "aclnnop/aclnn_operators_unsupported.h"
