/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnReflectionPad2d under the other spelling of its header. */
#ifndef ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_2D_H_
#define ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_2D_H_

#include "aclnnop/aclnn_reflection_pad2d.h"

#endif /* ACLGRAD_ACLNNOP_ACLNN_REFLECTION_PAD_2D_H_ */
