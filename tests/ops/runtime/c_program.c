/* SPDX-License-Identifier: Apache-2.0 */
/* A host program in C; the test of the headers only compiles it. */
#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "aclgrad_ext.h"

int main(void) {
  aclrtStream stream = NULL;
  if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) {
    printf("%s\n", aclGetRecentErrMsg());
    return ACL_ERROR_RT_PARAM_INVALID;
  }
  ACL_APP_LOG(ACL_INFO, "no argument");
  ACL_APP_LOG(ACL_INFO, "%d threads", (int)aclgradGetNumThreads());
  return aclrtCreateStream(&stream) == ACL_SUCCESS ? ACL_SUCCESS : 1;
}
