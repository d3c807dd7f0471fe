/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad3dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_replication_pad3d_backward.h"
