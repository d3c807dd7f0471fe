/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendor's older way to run one operator by its name. It is outside this library (use the
 * two-phase functions of aclnnop/): attributes can be described, so that programs which have both
 * ways link, and what would run an operator says that it does not (acl/acl_op_unsupported.h).
 */
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_op_unsupported.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL when out of memory. */
ACL_FUNC_VISIBILITY aclopAttr* aclopCreateAttr(void);

/* NULL is ignored. */
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr* attr);

/*
 * An attribute's value. Nothing can read it, so the arguments are checked and nothing is kept.
 * 100000 for NULL: attr, the name, a text, and an array of more than 0 elements; and for a negative
 * number of them.
 */
ACL_FUNC_VISIBILITY aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName,
                                              uint8_t attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName,
                                             int64_t attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName,
                                               float attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrString(aclopAttr* attr, const char* attrName,
                                                const char* attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName,
                                                  aclDataType attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName,
                                                  int numValues, const uint8_t* values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName,
                                                 int numValues, const int64_t* values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName,
                                                   int numValues, const float* values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName,
                                                     int numLists, const int* numValues,
                                                     const int64_t* const values[]);

/* Where operators lie that were compiled before; there are none. 100000 for NULL. */
ACL_FUNC_VISIBILITY aclError aclopSetModelDir(const char* modelDir);

#ifdef __cplusplus
}
#endif
