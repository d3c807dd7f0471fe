/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad1dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_replication_pad1d_backward.h"
