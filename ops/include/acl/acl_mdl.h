/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution of offline models is outside this library; the header exists because acl/acl.h includes
 * it. Recorded models (aclmdlRI) are part of the runtime: see acl/acl_rt.h.
 */
#ifndef ACLGRAD_ACL_ACL_MDL_H_
#define ACLGRAD_ACL_ACL_MDL_H_

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#endif /* ACLGRAD_ACL_ACL_MDL_H_ */
