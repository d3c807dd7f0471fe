// SPDX-License-Identifier: Apache-2.0
// Tensors of the programs that are recorded, and their calls of operators.
#pragma once

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_softmax.h"
#include "tests/replay/faulty_provider.h"

namespace aclgrad::replay_test {

inline constexpr int64_t kSide = 5;  // 25 elements: no whole number of vectors
inline constexpr std::size_t kBytes = kSide * kSide * sizeof(float);

inline void check(int status) {
  if (status != 0) std::abort();
}

inline aclTensor* tensor_at(void* address, int64_t side = kSide) {
  const int64_t shape[] = {side, side};
  return aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, address);
}

// One block with the tensors one behind the other.
struct Memory {
  explicit Memory(std::size_t count, int64_t side = kSide, bool are_equal = false)
      : bytes(static_cast<std::size_t>(side * side) * sizeof(float)) {
    check(aclrtMalloc(&block, count * bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    const auto elements = static_cast<std::size_t>(side * side);
    std::vector<float> values(count * elements);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(static_cast<float>(are_equal ? i % elements : i) + 1) * 2;
    check(
        aclrtMemcpy(block, count * bytes, values.data(), count * bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    for (std::size_t i = 0; i < count; ++i) tensors.push_back(tensor_at(at(i), side));
  }
  ~Memory() {
    for (aclTensor* const each : tensors) aclDestroyTensor(each);
    aclrtFree(block);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  char* at(std::size_t i) const { return static_cast<char*>(block) + i * bytes; }

  std::size_t bytes;  // of a tensor
  void* block = nullptr;
  std::vector<aclTensor*> tensors;
};

using Plan = std::function<int(const Memory&, uint64_t*, aclOpExecutor**)>;
using Run = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);
struct Operator {
  Plan plan;  // of tensors 0 and 1 to tensor 2
  Run run;
};

inline const std::vector<Operator>& operators() {
  static const aclScalar* const one = [] {
    float value = 1.5f;
    return aclCreateScalar(&value, ACL_FLOAT);
  }();
  static const std::vector<Operator> all = {
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnAddGetWorkspaceSize(m.tensors[0], m.tensors[1], one, m.tensors[2], s, e);
       },
       aclnnAdd},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnMulGetWorkspaceSize(m.tensors[0], m.tensors[1], m.tensors[2], s, e);
       },
       aclnnMul},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnGeluGetWorkspaceSize(m.tensors[0], m.tensors[2], s, e);
       },
       aclnnGelu},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnSiluGetWorkspaceSize(m.tensors[0], m.tensors[2], s, e);
       },
       aclnnSilu},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnSoftmaxGetWorkspaceSize(m.tensors[0], 1, m.tensors[2], s, e);
       },
       aclnnSoftmax},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnMatmulGetWorkspaceSize(m.tensors[0], m.tensors[1], m.tensors[2], 0, s, e);
       },
       aclnnMatmul}};
  return all;
}

inline void set_fault(Fault fault) {
  static auto* const set = reinterpret_cast<aclgrad::replay_test::SetFault>(
      dlsym(RTLD_DEFAULT, aclgrad::replay_test::kSetFault));
  if (set != nullptr) set(static_cast<int>(fault));
}

// The next call of an operator is one that replay must find.
inline void mark() {
  int32_t device = 0;
  check(aclrtGetDevice(&device));
}

// Both phases, as far as the first goes.
inline void call(const Operator& op, const Memory& memory, aclrtStream stream) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (op.plan(memory, &size, &executor) != 0) return;
  void* workspace = nullptr;
  if (size > 0) check(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  op.run(workspace, size, executor, stream);
  check(aclrtSynchronizeStream(stream));
  if (workspace != nullptr) check(aclrtFree(workspace));
}

inline int plan_relu(const aclTensor* in, aclTensor* out, aclOpExecutor** executor) {
  uint64_t size = 0;
  const int status = aclnnReluGetWorkspaceSize(in, out, &size, executor);
  return size == 0 ? status : -1;
}

inline void relu(const aclTensor* in, aclTensor* out, aclrtStream stream) {
  aclOpExecutor* executor = nullptr;
  check(plan_relu(in, out, &executor));
  check(aclnnRelu(nullptr, 0, executor, stream));
}

// Programs of recordings: with faults, and right ones.
void recordings(aclrtStream stream);
void right_recordings(aclrtStream stream);

}  // namespace aclgrad::replay_test
