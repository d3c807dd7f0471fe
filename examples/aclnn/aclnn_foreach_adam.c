/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adam in C for three parameters of different shapes, each function called once for all of them: a
 * list of tensors takes the place of a tensor. The loss is scaled, as for gradients of 16 bits; one
 * function divides by the scale and tells whether a gradient has overflowed, in which case the step
 * is left out. In the end the shape of a result, which elements are far off, is found by the run.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_foreach_abs.h"
#include "aclnnop/aclnn_foreach_add_scalar_v2.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar_v2.h"
#include "aclnnop/aclnn_foreach_addcmul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_div_scalar_v2.h"
#include "aclnnop/aclnn_foreach_lerp_scalar.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_non_finite_check_and_unscale.h"
#include "aclnnop/aclnn_foreach_sqrt.h"
#include "aclnnop/aclnn_foreach_sub_list_v2.h"
#include "aclnnop/aclnn_foreach_zero_inplace.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_nonzero.h"

static aclrtStream stream;

static void check(int status, const char* call) {
  if (status == ACL_SUCCESS) return;
  const char* const message = aclGetRecentErrMsg();
  fprintf(stderr, "%s returned %d\n%s\n", call, status, message != NULL ? message : "");
  exit(1);
}
#define CHECK(call) check(call, #call)

/* Both phases of an operator, in order on the stream. */
typedef aclnnStatus (*PhaseTwo)(void*, uint64_t, aclOpExecutor*, aclrtStream);
static void run(PhaseTwo phase_two, const char* name, uint64_t size, aclOpExecutor* executor) {
  void* workspace = NULL;
  if (size > 0) CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  check(phase_two(workspace, size, executor, stream), name);
  if (workspace == NULL) return;
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtFree(workspace));
}
#define RUN(name, ...)                                                   \
  do {                                                                   \
    uint64_t size = 0;                                                   \
    aclOpExecutor* executor = NULL;                                      \
    CHECK(aclnn##name##GetWorkspaceSize(__VA_ARGS__, &size, &executor)); \
    run(aclnn##name, "aclnn" #name, size, executor);                     \
  } while (0)

static void* on_device(const void* values, size_t bytes) {
  void* memory = NULL;
  CHECK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  if (values != NULL) CHECK(aclrtMemcpy(memory, bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  return memory;
}
static void to_host(void* values, const void* memory, size_t bytes) {
  CHECK(aclrtMemcpy(values, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* Without strides a tensor is contiguous. */
static aclTensor* tensor(void* memory, aclDataType dtype, const int64_t* shape, uint64_t rank) {
  return aclCreateTensor(shape, rank, dtype, NULL, 0, ACL_FORMAT_ND, shape, rank, memory);
}
static aclScalar* scalar(float value) { return aclCreateScalar(&value, ACL_FLOAT); }

/* Three parameters: a matrix, a vector, a number. */
enum { kTensors = 3, kMost = 6 };
static const int64_t kShapes[kTensors][2] = {{2, 3}, {4}};
static const uint64_t kRanks[kTensors] = {2, 1, 0};
static const size_t kCounts[kTensors] = {6, 4, 1};

typedef struct {
  void* memory[kTensors];
  aclTensor* tensors[kTensors]; /* the list's */
  aclTensorList* list;
} List;

static List make_list(const float values[kTensors][kMost]) {
  List made;
  for (int i = 0; i < kTensors; ++i) {
    made.memory[i] = on_device(values == NULL ? NULL : values[i], kCounts[i] * sizeof(float));
    made.tensors[i] = tensor(made.memory[i], ACL_FLOAT, kShapes[i], kRanks[i]);
  }
  made.list = aclCreateTensorList((const aclTensor* const*)made.tensors, kTensors);
  if (values == NULL) RUN(ForeachZeroInplace, made.list);
  return made;
}
static void release(List list) {
  CHECK(aclDestroyTensorList(list.list)); /* and its tensors */
  for (int i = 0; i < kTensors; ++i) CHECK(aclrtFree(list.memory[i]));
}

/* Phase one reads a scalar; a new one may take its place for the next call. */
#define WITH_SCALAR(value, ...)              \
  do {                                       \
    aclScalar* const number = scalar(value); \
    __VA_ARGS__;                             \
    CHECK(aclDestroyScalar(number));         \
  } while (0)

int main(void) {
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));

  const float begin[kTensors][kMost] = {{0}};
  const float wanted[kTensors][kMost] = {{1, -2, 3, -4, 5, -6}, {0.5F, 0.25F, -1, 8}, {-3}};
  const List parameters = make_list(begin), targets = make_list(wanted);
  const List gradients = make_list(NULL), mean = make_list(NULL), square = make_list(NULL);
  const List scratch = make_list(NULL);
  const float zero = 0;
  const int64_t one_element = 1;
  void* const overflow = on_device(&zero, sizeof zero);
  void* const inverse = on_device(&zero, sizeof zero);
  aclTensor* const found = tensor(overflow, ACL_FLOAT, &one_element, 1);
  aclTensor* const inverse_scale = tensor(inverse, ACL_FLOAT, &one_element, 1);

  const float rate = 0.25F, beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F;
  float scale = 0x1p127F; /* too much at first */
  int steps = 0, left_out = 0;
  while (steps < 60) {
    /* The gradient of scale * sum (parameter - target)^2 / 2. */
    WITH_SCALAR(1, RUN(ForeachSubListV2, parameters.list, targets.list, number, gradients.list));
    WITH_SCALAR(scale, RUN(ForeachMulScalarV2, gradients.list, number, gradients.list));

    const float share = 1 / scale;
    float overflowed = 0;
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(overflow, sizeof zero, &zero, sizeof zero, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(inverse, sizeof share, &share, sizeof share, ACL_MEMCPY_HOST_TO_DEVICE));
    RUN(ForeachNonFiniteCheckAndUnscale, gradients.list, found, inverse_scale);
    CHECK(aclrtSynchronizeStream(stream));
    to_host(&overflowed, overflow, sizeof overflowed);
    if (overflowed != 0) {
      scale /= 2;
      ++left_out;
      continue;
    }

    ++steps;
    const float of_mean = 1 - powf(beta1, (float)steps), of_square = 1 - powf(beta2, (float)steps);
    /* One list may be argument and result. */
    WITH_SCALAR(1 - beta1, RUN(ForeachLerpScalar, mean.list, gradients.list, number, mean.list));
    WITH_SCALAR(beta2, RUN(ForeachMulScalarV2, square.list, number, square.list));
    WITH_SCALAR(1 - beta2, RUN(ForeachAddcmulScalarV2, square.list, gradients.list, gradients.list,
                               number, square.list));
    RUN(ForeachSqrt, square.list, scratch.list);
    WITH_SCALAR(sqrtf(of_square), RUN(ForeachDivScalarV2, scratch.list, number, scratch.list));
    WITH_SCALAR(epsilon, RUN(ForeachAddScalarV2, scratch.list, number, scratch.list));
    WITH_SCALAR(-rate / of_mean, RUN(ForeachAddcdivScalarV2, parameters.list, mean.list,
                                     scratch.list, number, parameters.list));
  }
  printf("%d steps, and %d left out, until the scale was 2^%d\n", steps, left_out, ilogbf(scale));

  for (int i = 0; i < kTensors; ++i) {
    float values[kMost];
    CHECK(aclrtSynchronizeStream(stream));
    to_host(values, parameters.memory[i], kCounts[i] * sizeof(float));
    for (size_t k = 0; k < kCounts[i]; ++k) printf("%s%.2f", k == 0 ? "" : " ", values[k]);
    printf("\n");
  }

  /* Which elements of the matrix are off by more than 0.1: as many rows of indices as there may be,
     and after the run the tensor says how many there are. */
  WITH_SCALAR(1, RUN(ForeachSubListV2, parameters.list, targets.list, number, scratch.list));
  RUN(ForeachAbs, scratch.list, scratch.list);
  const int64_t room[] = {6, 2};
  void* const flags = on_device(NULL, 6);
  void* const places = on_device(NULL, 12 * sizeof(int64_t));
  aclTensor* const is_far = tensor(flags, ACL_BOOL, kShapes[0], 2);
  aclTensor* const far = tensor(places, ACL_INT64, room, 2);
  WITH_SCALAR(0.1F, RUN(GtScalar, scratch.tensors[0], number, is_far));
  RUN(Nonzero, is_far, far);
  CHECK(aclrtSynchronizeStream(stream));
  static int64_t* shape; /* from new[], for which C has no delete[]: it stays */
  uint64_t rank = 0;
  int64_t indices[12];
  CHECK(aclGetViewShape(far, &shape, &rank));
  to_host(indices, places, sizeof indices);
  printf("%d elements of the matrix are still off by more than 0.1:", (int)shape[0]);
  for (int64_t i = 0; i < shape[0]; ++i) {
    printf(" (%d, %d)", (int)indices[2 * i], (int)indices[2 * i + 1]);
  }
  printf("\n");

  CHECK(aclDestroyTensor(is_far));
  CHECK(aclDestroyTensor(far));
  CHECK(aclDestroyTensor(found));
  CHECK(aclDestroyTensor(inverse_scale));
  CHECK(aclrtFree(flags));
  CHECK(aclrtFree(places));
  CHECK(aclrtFree(overflow));
  CHECK(aclrtFree(inverse));
  release(parameters);
  release(targets);
  release(gradients);
  release(mean);
  release(square);
  release(scratch);
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
