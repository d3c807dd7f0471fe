/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every operator header includes. An operator is called in two phases: phase one checks the
 * arguments and returns an executor and the workspace it needs; phase two queues the work on a
 * stream.
 */
#ifndef ACLNN_ACLNN_BASE_H_
#define ACLNN_ACLNN_BASE_H_

#include "acl/acl_base.h"
#include "acl/acl_rt.h"
#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares the operator library; optional, NULL means defaults. Always 0. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);

/* Always 0. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

/*
 * Dumps an operator's tensors where dumping is configured, which this library does not support: it
 * does nothing, reads no argument and returns 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclDumpOpTensors(const char* opType, const char* opName,
                                                 aclTensor** tensors, size_t inputTensorNum,
                                                 size_t outputTensorNum, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLNN_ACLNN_BASE_H_ */
