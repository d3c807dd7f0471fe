/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs of others do and ours do not: executors are destroyed after they ran, tensors and
 * scalars right after phase two, lists never, and much only after aclFinalize; a view says its own
 * sizes for those of its storage. In C11, by the headers of the operators. Prints the first thing
 * that is wrong.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_relu.h"

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      const char* const message = aclGetRecentErrMsg();                                  \
      printf("line %d: %s\n%s\n", __LINE__, #condition, message == NULL ? "" : message); \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

enum { kCount = 1 << 16 };
static aclrtStream stream;
static uint64_t size;
static aclOpExecutor* executor;

/* kCount floats, all of this value. */
static float* floats(float value) {
  float* host = malloc(kCount * sizeof(float));
  void* device = NULL;
  CHECK(host != NULL);
  for (int i = 0; i < kCount; ++i) host[i] = value;
  CHECK(aclrtMalloc(&device, kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  CHECK(aclrtMemcpy(device, kCount * sizeof(float), host, kCount * sizeof(float),
                    ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  free(host);
  return device;
}

static float at(const float* device, size_t index) {
  float value = 0;
  CHECK(aclrtMemcpy(&value, sizeof value, device + index, sizeof value,
                    ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  return value;
}

static aclTensor* vector(float* memory, int64_t count) {
  return aclCreateTensor(&count, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &count, 1, memory);
}

/* Executors that phase two has consumed, that were destroyed already, and that are none. */
static void destroy_executors_after_use(aclOpExecutor** consumed) {
  float* const memory = floats(-1);
  aclTensor* const x = vector(memory, kCount);
  CHECK(aclnnReluGetWorkspaceSize(x, x, &size, &executor) == 0);
  CHECK(aclnnRelu(NULL, 0, executor, stream) == 0);
  CHECK(aclDestroyAclOpExecutor(executor) != 0); /* an error, before and after the task has run */
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(aclDestroyAclOpExecutor(executor) != 0);
  *consumed = executor;
  CHECK(at(memory, kCount - 1) == 0);

  CHECK(aclnnReluGetWorkspaceSize(x, x, &size, &executor) == 0);
  CHECK(aclSetAclOpExecutorRepeatable(executor) == 0);
  for (int i = 0; i < 3; ++i) CHECK(aclnnRelu(NULL, 0, executor, stream) == 0);
  CHECK(aclDestroyAclOpExecutor(executor) == 0); /* its runs may still be queued */
  CHECK(aclDestroyAclOpExecutor(executor) != 0);
  CHECK(aclDestroyAclOpExecutor(NULL) != 0);
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(aclDestroyTensor(x) == 0);
  CHECK(aclrtFree(memory) == 0);
}

/* Tensors, scalars and arrays go as soon as phase two has returned; new ones may lie where they
 * lay. */
static void destroy_at_once(void) {
  float* const memory = floats(0);
  float* const ones = floats(1);
  float two = 2;
  for (int i = 0; i < 100; ++i) {
    aclTensor* const sum = vector(memory, kCount);
    aclTensor* const other = vector(ones, kCount);
    aclScalar* const alpha = aclCreateScalar(&two, ACL_FLOAT);
    CHECK(aclnnAddGetWorkspaceSize(sum, other, alpha, sum, &size, &executor) == 0);
    CHECK(aclnnAdd(NULL, 0, executor, stream) == 0);
    CHECK(aclDestroyTensor(sum) == 0 && aclDestroyTensor(other) == 0 &&
          aclDestroyScalar(alpha) == 0);
  }
  const int64_t shape[2] = {4, kCount / 4};
  const int64_t turned[2] = {kCount / 4, 4};
  const int64_t order[2] = {1, 0};
  aclTensor* const in =
      aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, memory);
  aclTensor* const out =
      aclCreateTensor(turned, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, turned, 2, ones);
  aclIntArray* const dims = aclCreateIntArray(order, 2);
  CHECK(aclnnPermuteGetWorkspaceSize(in, dims, out, &size, &executor) == 0);
  CHECK(aclnnPermute(NULL, 0, executor, stream) == 0);
  CHECK(aclDestroyIntArray(dims) == 0 && aclDestroyTensor(in) == 0 && aclDestroyTensor(out) == 0);
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(at(memory, 0) == 200 && at(ones, kCount - 1) == 200);
  CHECK(aclrtFree(memory) == 0 && aclrtFree(ones) == 0);
}

/* Lists that nobody destroys, whose tensors others destroy; one list as input and output. */
static void leak_lists(void) {
  float* const memory = floats(1);
  float factor = 3;
  for (int i = 0; i < 4; ++i) {
    aclTensor* tensors[2] = {vector(memory, 5), vector(memory + 8, kCount - 8)};
    aclTensorList* const list = aclCreateTensorList((const aclTensor* const*)tensors, 2);
    aclScalar* const scalar = aclCreateScalar(&factor, ACL_FLOAT);
    CHECK(aclnnForeachMulScalarV2GetWorkspaceSize(list, scalar, list, &size, &executor) == 0);
    CHECK(aclnnForeachMulScalarV2(NULL, 0, executor, stream) == 0);
    CHECK(aclDestroyScalar(scalar) == 0);
    CHECK(aclDestroyTensor(tensors[0]) == 0 && aclDestroyTensor(tensors[1]) == 0);
    /* The list is left with handles that are dead: a call with it is refused. */
    aclScalar* const again = aclCreateScalar(&factor, ACL_FLOAT);
    CHECK(aclnnForeachMulScalarV2GetWorkspaceSize(list, again, list, &size, &executor) != 0);
    CHECK(aclDestroyScalar(again) == 0);
  }
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(at(memory, 4) == 81 && at(memory, 5) == 1 && at(memory, kCount - 1) == 81);
  CHECK(aclrtFree(memory) == 0);
}

/*
 * storageDims that are those of the view, wherever it lies in its memory. A contiguous view may; a
 * strided one has to lie within as many elements, as the vendor's library wants it (561103).
 */
static void say_the_views_sizes(void) {
  float* const memory = floats(1);
  float* const result = floats(0);
  const int64_t shape[2] = {2, 2};
  const int64_t contiguous[2] = {2, 1};
  const int64_t turned[2] = {1, 2};
  const int64_t with_gaps[2] = {8, 1};
  const struct {
    const int64_t* strides;
    int64_t offset;
    int status;
  } views[] = {{contiguous, 0, 0},   {contiguous, 64, 0},    {turned, 0, 0},
               {turned, 64, 561103}, {with_gaps, 0, 561103}, {with_gaps, 64, 561103}};
  for (size_t i = 0; i < sizeof views / sizeof views[0]; ++i) {
    aclTensor* const view = aclCreateTensor(shape, 2, ACL_FLOAT, views[i].strides, views[i].offset,
                                            ACL_FORMAT_ND, shape, 2, memory);
    aclTensor* const out = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, views[i].offset,
                                           ACL_FORMAT_ND, shape, 2, result);
    CHECK(aclnnReluGetWorkspaceSize(view, out, &size, &executor) == views[i].status);
    if (views[i].status == 0) CHECK(aclnnRelu(NULL, 0, executor, stream) == 0);
    CHECK(aclDestroyTensor(view) == 0 && aclDestroyTensor(out) == 0);
  }
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(at(result, 3) == 1 && at(result, 4) == 0 && at(result, 64 + 3) == 1);
  CHECK(aclrtFree(memory) == 0 && aclrtFree(result) == 0);
}

int main(void) {
  aclOpExecutor* consumed = NULL;
  CHECK(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
  destroy_executors_after_use(&consumed);
  destroy_at_once();
  leak_lists();
  say_the_views_sizes();

  /* What is left when the process ends goes after the library: nothing of it may crash. */
  float* const memory = floats(1);
  aclTensor* const tensor = vector(memory, kCount);
  float one = 1;
  aclScalar* const scalar = aclCreateScalar(&one, ACL_FLOAT);
  aclTensorDesc* const description = aclCreateTensorDesc(ACL_FLOAT, 0, NULL, ACL_FORMAT_ND);
  aclOpExecutor* planned = NULL;
  CHECK(aclnnReluGetWorkspaceSize(tensor, tensor, &size, &planned) == 0);
  CHECK(aclrtResetDevice(0) == 0 && aclFinalize() == 0);
  CHECK(aclDestroyAclOpExecutor(consumed) != 0);
  CHECK(aclDestroyAclOpExecutor(planned) == 0);
  CHECK(aclDestroyTensor(tensor) == 0 && aclDestroyScalar(scalar) == 0);
  aclDestroyTensorDesc(description);
  aclrtFree(memory);          /* the device has taken it back: an error */
  aclrtDestroyStream(stream); /* the same */
  CHECK(aclFinalize() != 0);
  return 0;
}
