/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host program in C11. It is linked with the runtime alone; the functions of operators are declared
 * here, as any other language would, and found by name. Prints the ELU of -1, 0 and 2.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "acl/acl.h"

typedef void* Handle;
typedef Handle (*CreateTensor)(const int64_t*, uint64_t, aclDataType, const int64_t*, int64_t,
                               aclFormat, const int64_t*, uint64_t, void*);
typedef Handle (*CreateScalar)(void*, aclDataType);
typedef int32_t (*Destroy)(Handle);
typedef int32_t (*EluPhaseOne)(Handle, Handle, Handle, Handle, Handle, uint64_t*, Handle*);
typedef int32_t (*PhaseTwo)(void*, uint64_t, Handle, aclrtStream);

/* A function pointer is not a void*, as far as C goes; POSIX says that this way works. */
#define FIND(variable, library, name) *(void**)&(variable) = dlsym(library, name)

#define CHECK(call)                                                \
  do {                                                             \
    const int status = (call);                                     \
    if (status != ACL_SUCCESS) {                                   \
      printf("%s: %d\n%s\n", #call, status, aclGetRecentErrMsg()); \
      return 1;                                                    \
    }                                                              \
  } while (0)

int main(void) {
  enum { kCount = 3 };
  const int64_t shape[1] = {kCount};
  float numbers[kCount] = {-1.0F, 0.0F, 2.0F};
  float one = 1.0F;
  void* input = NULL;
  void* output = NULL;
  uint64_t workspace = 0;
  Handle executor = NULL;
  aclrtStream stream = NULL;
  CreateTensor create_tensor;
  CreateScalar create_scalar;
  Destroy destroy_tensor;
  Destroy destroy_scalar;
  EluPhaseOne phase_one;
  PhaseTwo phase_two;
  void* const meta = dlopen("libnnopbase.so", RTLD_NOW);
  void* const operators = dlopen("libopapi.so", RTLD_NOW);
  if (meta == NULL || operators == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  FIND(create_tensor, meta, "aclCreateTensor");
  FIND(create_scalar, meta, "aclCreateScalar");
  FIND(destroy_tensor, meta, "aclDestroyTensor");
  FIND(destroy_scalar, meta, "aclDestroyScalar");
  FIND(phase_one, operators, "aclnnEluGetWorkspaceSize");
  FIND(phase_two, operators, "aclnnElu");

  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtMalloc(&input, sizeof numbers, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&output, sizeof numbers, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(input, sizeof numbers, numbers, sizeof numbers, ACL_MEMCPY_HOST_TO_DEVICE));
  Handle const self = create_tensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, input);
  Handle const out = create_tensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, output);
  Handle const scalar = create_scalar(&one, ACL_FLOAT);
  CHECK(phase_one(self, scalar, scalar, scalar, out, &workspace, &executor));
  CHECK(phase_two(NULL, workspace, executor, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(numbers, sizeof numbers, output, sizeof numbers, ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(destroy_tensor(self));
  CHECK(destroy_tensor(out));
  CHECK(destroy_scalar(scalar));
  CHECK(aclrtFree(input));
  CHECK(aclrtFree(output));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  printf("%.6f %.6f %.6f\n", (double)numbers[0], (double)numbers[1], (double)numbers[2]);
  return fabs((double)numbers[0] - expm1(-1.0)) < 1e-6 && numbers[1] == 0 && numbers[2] == 2 ? 0
                                                                                             : 1;
}
