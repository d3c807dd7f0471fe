/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every operator header includes, and what holds for every operator whose header says nothing
 * else. An operator is called in two phases.
 *
 * Phase one, aclnn<Name>GetWorkspaceSize, checks its arguments in the order of
 * docs/reference/checks.md and gives an executor and the size of the workspace for phase two. It
 * returns 0; 161001 for a null workspaceSize or executor, which it looks at first, or a null
 * required argument; 161002 for an argument that breaks a rule of the header, or a view that
 * reaches beyond the end of the allocation of its address; 561103 for a strided view that leaves
 * its storage. On failure both outputs stay; aclGetRecentErrMsg names operator, argument, what was
 * expected and what came.
 *
 * Phase two, aclnn<Name>, queues the work on `stream`. It returns 0; 161001 for a null executor, or
 * a null workspace where one is needed; 161002 for a workspace smaller than asked for; 561103 for
 * an executor that was used up.
 *
 * Tensors may have any strides and offset; inputs may overlap or be expanded (stride 0). Every
 * format is taken as ND. An empty tensor passes the same checks, asks for no workspace and computes
 * nothing. An output may be exactly an input, the same view of the same memory; any other overlap
 * of an output is undefined, and ACLGRAD_CHECK=memory reports it.
 */
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_rt.h"
#include "aclnn/acl_meta.h"

/* Around the declarations of an operator's header. */
#ifdef __cplusplus
#define ACLGRAD_BEGIN_DECLS extern "C" {
#define ACLGRAD_END_DECLS }
#else
#define ACLGRAD_BEGIN_DECLS
#define ACLGRAD_END_DECLS
#endif

ACLGRAD_BEGIN_DECLS

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

ACLGRAD_END_DECLS
