/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad2dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_2D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_2D_BACKWARD_H_

#include "aclnnop/aclnn_replication_pad2d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_2D_BACKWARD_H_ */
