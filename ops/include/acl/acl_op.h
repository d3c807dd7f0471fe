/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendor's older way to run one operator by its name is outside this library (use the two-phase
 * functions of aclnnop/); the header exists because acl/acl.h includes it.
 */
#ifndef ACLGRAD_ACL_ACL_OP_H_
#define ACLGRAD_ACL_ACL_OP_H_

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#endif /* ACLGRAD_ACL_ACL_OP_H_ */
