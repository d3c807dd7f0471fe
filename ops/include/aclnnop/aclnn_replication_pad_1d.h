/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReplicationPad1d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_1D_H_
#define ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_1D_H_

#include "aclnnop/aclnn_replication_pad1d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_REPLICATION_PAD_1D_H_ */
