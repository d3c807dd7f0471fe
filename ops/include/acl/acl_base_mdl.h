/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions of tensors, for the older interface of single operators and of offline models: plain
 * data of the host, which needs neither aclInit nor a device. (The tensors of operators are those
 * of aclnn/acl_meta.h.)
 */
#pragma once

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_TENSOR_SHAPE_RANGE_NUM 2

typedef struct aclTensorDesc aclTensorDesc;

/*
 * A description with copies of its dims. numDims 0 is a scalar, and dims may be NULL then. A
 * negative dim is one that is not known yet. NULL for numDims < 0, for dims that are NULL beside
 * numDims > 0, and when out of memory.
 */
ACL_FUNC_VISIBILITY aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims,
                                                       const int64_t* dims, aclFormat format);

/* NULL is ignored. */
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc* desc);

/* What it was made with; ACL_DT_UNDEFINED and ACL_FORMAT_UNDEFINED for NULL. */
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc);

/*
 * Bytes, elements (1 for a scalar) and number of dims. Bytes and elements are 0 where a dim is not
 * known, and where their number does not fit in 64 bits. All are 0 for NULL.
 */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY size_t aclGetTensorDescElementCount(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc* desc);

/* One dim. For NULL and for an index that there is not: -1, and 100000. */
ACL_FUNC_VISIBILITY int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index);
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index,
                                                   int64_t* dimSize);

/* A name, which is copied; "" before, and for NULL. */
ACL_FUNC_VISIBILITY const char* aclGetTensorDescName(aclTensorDesc* desc);
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc* desc, const char* name);

/*
 * What a compiler of single operators asks for beyond that: format and shape in storage, the range
 * of each dim, a constant's value, where the memory lies. There is none here, so these check their
 * arguments (100000) and keep nothing.
 */
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format);
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc* desc, int numDims,
                                               const int64_t* dims);
ACL_FUNC_VISIBILITY aclError aclSetTensorShapeRange(
    aclTensorDesc* desc, size_t dimsCount, int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM]);
ACL_FUNC_VISIBILITY aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer,
                                               size_t length);
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType);

#ifdef __cplusplus
}
#endif
