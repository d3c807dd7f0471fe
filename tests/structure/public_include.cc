// SPDX-License-Identifier: Apache-2.0
// Compiles above the C API boundary.
#include "aclnn/acl_meta.h"

uint64_t size_of(const aclIntArray* array) {
  uint64_t size = 0;
  aclGetIntArraySize(array, &size);
  return size;
}
