/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnLogSigmoid under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_LOG_SIGMOID_H_
#define ACLGRAD_ACLNNOP_ACLNN_LOG_SIGMOID_H_

#include "aclnnop/aclnn_logsigmoid.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_LOG_SIGMOID_H_ */
