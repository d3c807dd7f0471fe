/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad1dBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_1D_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_1D_BACKWARD_H_

#include "aclnnop/aclnn_replication_pad1d_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_1D_BACKWARD_H_ */
