/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad2dBackward under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_replication_pad2d_backward.h"
