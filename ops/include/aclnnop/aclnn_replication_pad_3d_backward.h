/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad3dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_3D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_3D_BACKWARD_H_

#include "aclnnop/aclnn_replication_pad3d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_3D_BACKWARD_H_ */
