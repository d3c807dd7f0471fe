/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad3d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_3D_H_
#define ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_3D_H_

#include "aclnnop/aclnn_replication_pad3d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_3D_H_ */
