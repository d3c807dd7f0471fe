/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would run or describe a single operator by its name. Each one touches nothing, whatever its
 * arguments are, leaves a message and answers 207000.
 *
 * Include acl/acl_op.h or acl/acl_op_compiler.h, which include this header.
 */
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes of an operator: acl/acl_op.h. */
typedef struct aclopAttr aclopAttr;

typedef struct aclGraphDumpOption aclGraphDumpOption;

/* What should compute an operator. */
typedef enum aclEngineType {
  ACL_ENGINE_SYS = 0,
  ACL_ENGINE_AICORE = 1,
  ACL_ENGINE_VECTOR = 2
} aclopEngineType;

/* Whether an operator of the system is meant or one of the program. */
typedef enum aclCompileType { ACL_COMPILE_SYS = 0, ACL_COMPILE_UNREGISTERED = 1 } aclopCompileType;

ACL_FUNC_VISIBILITY aclError aclopExecuteV2(const char* opType, int numInputs,
                                            aclTensorDesc* inputDesc[], aclDataBuffer* inputs[],
                                            int numOutputs, aclTensorDesc* outputDesc[],
                                            aclDataBuffer* outputs[], aclopAttr* attr,
                                            aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(
    const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
    const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
    aclDataBuffer* const outputs[], const aclopAttr* attr, aclopEngineType engineType,
    aclopCompileType compileFlag, const char* opPath, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError
aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                         aclDataBuffer* inputs[], int numOutputs, aclTensorDesc* outputDesc[],
                         aclDataBuffer* outputs[], aclopAttr* attr, aclopEngineType engineType,
                         aclopCompileType compileFlag, const char* opPath, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclGenGraphAndDumpForOp(
    const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
    const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
    aclDataBuffer* const outputs[], const aclopAttr* attr, aclopEngineType engineType,
    const char* graphDumpPath, const aclGraphDumpOption* graphDumpOpt);

#ifdef __cplusplus
}
#endif
