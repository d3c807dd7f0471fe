// SPDX-License-Identifier: Apache-2.0
// An operator library with SELU alone, and of the runtime no more than SELU's check needs. It
// passes every call on to the real library, which it keeps to itself.
#include <dlfcn.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"

namespace {

template <class Function>
Function* real(const char* name) {
  static void* const library = dlopen(REAL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

#define PASS_ON(result, name, parameters, arguments) \
  result name parameters { return real<decltype(name)>(#name) arguments; }

#define PASS_ON_PHASE_TWO(name)                                                          \
  PASS_ON(aclnnStatus, name,                                                             \
          (void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream), \
          (workspace, size, executor, stream))

extern "C" {

PASS_ON(aclError, aclInit, (const char* path), (path))
PASS_ON(aclError, aclrtSetDevice, (int32_t device), (device))
PASS_ON(aclError, aclrtCreateStream, (aclrtStream * stream), (stream))
PASS_ON(aclError, aclrtDestroyStream, (aclrtStream stream), (stream))
PASS_ON(aclError, aclrtSynchronizeStream, (aclrtStream stream), (stream))
PASS_ON(aclError, aclrtMalloc, (void** address, size_t size, aclrtMemMallocPolicy policy),
        (address, size, policy))
PASS_ON(aclError, aclrtFree, (void* address), (address))
PASS_ON(aclError, aclrtMemcpy,
        (void* to, size_t room, const void* from, size_t count, aclrtMemcpyKind kind),
        (to, room, from, count, kind))
PASS_ON(aclTensor*, aclCreateTensor,
        (const int64_t* dims, uint64_t rank, aclDataType dtype, const int64_t* strides,
         int64_t offset, aclFormat format, const int64_t* storage, uint64_t storage_rank,
         void* data),
        (dims, rank, dtype, strides, offset, format, storage, storage_rank, data))
PASS_ON(aclnnStatus, aclDestroyTensor, (const aclTensor* tensor), (tensor))

PASS_ON(aclnnStatus, aclnnSeluGetWorkspaceSize,
        (const aclTensor* self, aclTensor* out, uint64_t* size, aclOpExecutor** executor),
        (self, out, size, executor))
PASS_ON(aclnnStatus, aclnnSeluBackwardGetWorkspaceSize,
        (const aclTensor* grad, const aclTensor* result, aclTensor* out, uint64_t* size,
         aclOpExecutor** executor),
        (grad, result, out, size, executor))
PASS_ON_PHASE_TWO(aclnnSelu)
PASS_ON_PHASE_TWO(aclnnSeluBackward)

}  // extern "C"
