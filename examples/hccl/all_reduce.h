// SPDX-License-Identifier: Apache-2.0
// A look at every status. Functions of the runtime and of HCCL return 0 for success; the last
// message says what went wrong.
#ifndef ACLGRAD_EXAMPLES_HCCL_CHECK_H_
#define ACLGRAD_EXAMPLES_HCCL_CHECK_H_

#include <cstdio>

#include "acl/acl.h"

// For functions that return 1 when they fail.
#define CHECK(call)                                                     \
  do {                                                                  \
    const int status = (call);                                          \
    if (status != 0) {                                                  \
      std::printf("%s: %d\n%s\n", #call, status, aclGetRecentErrMsg()); \
      return 1;                                                         \
    }                                                                   \
  } while (0)

#endif  // ACLGRAD_EXAMPLES_HCCL_CHECK_H_
