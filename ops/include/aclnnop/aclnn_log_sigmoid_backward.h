/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnLogSigmoidBackward under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_LOG_SIGMOID_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_LOG_SIGMOID_BACKWARD_H_

#include "aclnnop/aclnn_logsigmoid_backward.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_LOG_SIGMOID_BACKWARD_H_ */
