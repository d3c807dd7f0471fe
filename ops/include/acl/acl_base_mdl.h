/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base types of whole-model execution. Offline models are outside this library; the header exists
 * because the vendor's headers are layered this way.
 */
#ifndef ACLGRAD_ACL_ACL_BASE_MDL_H_
#define ACLGRAD_ACL_ACL_BASE_MDL_H_

#include "acl/acl_base_rt.h"

#endif /* ACLGRAD_ACL_ACL_BASE_MDL_H_ */
