// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"
#include "tests/fuzz/target.h"

namespace aclgrad::fuzz {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "expected: %s\n", what);
  std::abort();
}

void require_message(int status, const char* call) {
  const char* const message = aclGetRecentErrMsg();
  if (status == 0 || (message != nullptr && *message != '\0')) return;
  std::fprintf(stderr, "%s answered %d without a message\n", call, status);
  std::abort();
}

}  // namespace aclgrad::fuzz
