/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution of offline models is outside this library; the header exists because acl/acl.h includes
 * it, and because programs switch dumps by it. Recorded models (aclmdlRI) are part of the runtime:
 * see acl/acl_rt.h.
 */
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Dumps of operators' tensors into files: nothing is dumped here (ACLGRAD_LOG shows the calls).
 * aclmdlSetDump takes a file of settings, which it does not read: 100000 for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char* configPath);
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

#ifdef __cplusplus
}
#endif
