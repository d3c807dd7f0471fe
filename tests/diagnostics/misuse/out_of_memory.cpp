// SPDX-License-Identifier: Apache-2.0
// No misuse: every allocation of both phases and of a task's launch fails once. No exception may
// come out, no executor be left behind by a phase one that failed, and every task be released.
#include <cstddef>
#include <new>
#include <vector>

#include "aclgrad_ext.h"
#include "misuse.h"

namespace {

thread_local int t_until_failure = -1;
constexpr int kMaxFreed = 4096;
thread_local void* t_freed[kMaxFreed];
thread_local int t_freed_count = -1;  // negative: not kept

}  // namespace

void* operator new(std::size_t bytes) {
  if (t_until_failure >= 0 && t_until_failure-- == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  if (t_freed_count >= 0 && t_freed_count < kMaxFreed) t_freed[t_freed_count++] = memory;
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

// Calls until nothing fails any more: the first time the first allocation fails, then the second.
// check(status) looks at what the call left behind.
template <class Call, class Check>
void fail_everywhere(const char* what, const Call& call, const Check& check) {
  for (int n = 0;; ++n) {
    int status = -1;
    t_freed_count = 0;
    t_until_failure = n;
    try {
      status = call();
    } catch (...) {
      std::fprintf(stderr, "%s: an exception came out, allocation %d\n", what, n);
      std::exit(1);
    }
    const bool failed = t_until_failure < 0;
    t_until_failure = -1;
    const int freed = t_freed_count;
    t_freed_count = -1;
    for (int i = 0; status != 0 && i < freed; ++i) {
      if (aclgradHandleCheck(t_freed[i], ACLGRAD_HANDLE_EXECUTOR) == 0) continue;
      std::fprintf(stderr, "%s: a freed executor is live, allocation %d\n", what, n);
      std::exit(1);
    }
    if (!check(status)) {
      std::fprintf(stderr, "%s: not released, allocation %d\n", what, n);
      std::exit(1);
    }
    if (!failed) return;
  }
}

}  // namespace

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  aclTensor* const tensor = misuse::floats(memory, 16);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  fail_everywhere(
      "phase one", [&] { return aclnnSeluGetWorkspaceSize(tensor, tensor, &size, &executor); },
      [&](int status) { return status != 0 || aclDestroyAclOpExecutor(executor) == 0; });
  for (int n = 0; n < 100; ++n) {
    executor = misuse::plan_selu(tensor, tensor);
    t_until_failure = n;
    try {
      aclnnSelu(nullptr, 0, executor, device.stream);
    } catch (...) {
      std::fprintf(stderr, "phase two: an exception came out, allocation %d\n", n);
      std::exit(1);
    }
    const bool failed = t_until_failure < 0;
    t_until_failure = -1;
    if (!failed) break;
  }
  const int64_t sizes = 16;
  const int64_t strides = 1;
  const aclgradTaskOperand operand{"out", memory, &sizes, &strides, 1, 4, 0, 1, nullptr};
  int released = 0;
  fail_everywhere(
      "a described task",
      [&] {
        released = 0;
        return aclgradLaunchDescribed(
            device.stream, "task", [](void*) { return 0; }, &released,
            [](void* argument) { ++*static_cast<int*>(argument); }, nullptr, &operand, 1);
      },
      [&](int) { return aclrtSynchronizeStream(device.stream) == 0 && released == 1; });
  aclDestroyTensor(tensor);
  aclrtFree(memory);
  return 0;
}
