/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad3d under the other spelling of its header. */
#pragma once

#include "aclnnop/aclnn_replication_pad3d.h"
