// SPDX-License-Identifier: Apache-2.0
// Must not compile above the C API boundary: it looks inside an opaque object.
#include "aclnn/acl_meta.h"
#include "ops/meta/tensor.h"

uint64_t size_of(const aclIntArray* array) { return array->values.size(); }
