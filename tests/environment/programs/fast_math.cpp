// SPDX-License-Identifier: Apache-2.0
// A host that is compiled and linked with -ffast-math, which lets processors flush subnormals from
// the start: sums of subnormals come out right all the same. Status 77: it does not do so here.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"
#include "aclgrad_ext.h"
#include "aclnnop/aclnn_add.h"
#include "tests/environment/float_mode.h"

namespace {

constexpr int64_t kCount = 1 << 16;
constexpr int kFlushes = 77;

void require(int status, const char* what) {
  if (status == 0) return;
  const char* const text = aclGetRecentErrMsg();
  std::printf("%s: %d %s\n", what, status, text == nullptr ? "" : text);
  std::exit(1);
}

// Subnormal numbers add like integers.
uint32_t left(int64_t i) { return static_cast<uint32_t>(i * 37 % 3000000); }
uint32_t right(int64_t i) { return static_cast<uint32_t>(i * 53 % 4000000); }

uint32_t* new_array() {
  void* memory = nullptr;
  require(aclrtMalloc(&memory, kCount * sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST), "malloc");
  return static_cast<uint32_t*>(memory);
}

aclTensor* tensor_of(uint32_t* data) {
  return aclCreateTensor(&kCount, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &kCount, 1, data);
}

}  // namespace

int main() {
  const uint64_t state = aclgrad::test::float_state();
  aclgrad::test::flush_subnormals();
  if (aclgrad::test::float_state() != state) {
    std::puts("-ffast-math does not flush subnormals here");
    return kFlushes;
  }
  aclrtStream stream = nullptr;
  require(aclrtSetDevice(0), "aclrtSetDevice");
  require(aclrtCreateStream(&stream), "aclrtCreateStream");
  require(aclgradSetNumThreads(2), "aclgradSetNumThreads");
  uint32_t* const a = new_array();
  uint32_t* const b = new_array();
  uint32_t* const sum = new_array();
  for (int64_t i = 0; i < kCount; ++i) {
    a[i] = left(i);
    b[i] = right(i);
  }
  const aclTensor* const self = tensor_of(a);
  const aclTensor* const other = tensor_of(b);
  aclTensor* const out = tensor_of(sum);
  uint32_t one = 0x3f800000;
  const aclScalar* const alpha = aclCreateScalar(&one, ACL_FLOAT);
  for (int call = 0; call < 200; ++call) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    require(aclnnAddGetWorkspaceSize(self, other, alpha, out, &size, &executor), "phase one");
    require(aclnnAdd(nullptr, size, executor, stream), "phase two");
    // On this thread, then on the stream's worker.
    require(call % 2 == 0 ? aclrtSynchronizeStream(stream)
                          : aclrtSynchronizeStreamWithTimeout(stream, 60000),
            "synchronize");
    for (int64_t i = 0; i < kCount; ++i) {
      if (sum[i] == left(i) + right(i)) continue;
      std::printf("call %d, element %d: %08x instead of %08x\n", call, static_cast<int>(i), sum[i],
                  left(i) + right(i));
      return 1;
    }
  }
  // Flags of what the program computed itself may differ, what it has set may not.
  if (((aclgrad::test::float_state() ^ state) & ~uint64_t{0x3f}) != 0) {
    std::puts("the environment of the program changed");
    return 1;
  }
  return 0;
}
