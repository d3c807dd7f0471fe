// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/injection.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> g_requests = 0;
std::atomic<int64_t> g_failing = 0;  // 0: none
std::atomic<bool> g_fired = false;
std::atomic<int64_t> g_live = 0;
thread_local bool t_exempt = false;

// Every block from operator new knows whether the libraries asked for it: the test may delete what
// they made (the getters of tensors say so), and they may free what it made.
struct alignas(std::max_align_t) Header {
  std::size_t offset;  // from the start of the memory to the block
  bool counted;
};

bool shall_fail() {
  if (t_exempt) return false;
  if (++g_requests != g_failing.load()) return false;
  g_fired = true;
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (shall_fail()) return nullptr;
  alignment = std::max(alignment, alignof(Header));
  const std::size_t offset = std::max(alignment, sizeof(Header));
  void* memory = nullptr;
  if (bytes > SIZE_MAX - offset || posix_memalign(&memory, alignment, offset + bytes) != 0) {
    return nullptr;
  }
  auto* const block = static_cast<unsigned char*>(memory) + offset;
  new (block - sizeof(Header)) Header{offset, !t_exempt};
  if (!t_exempt) ++g_live;
  return block;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* block = allocate(bytes, alignment)) return block;
  throw std::bad_alloc();
}

void release(void* pointer) noexcept {
  if (pointer == nullptr) return;
  auto* const block = static_cast<unsigned char*>(pointer);
  const auto* const header = reinterpret_cast<const Header*>(block - sizeof(Header));
  if (header->counted) --g_live;
  std::free(block - header->offset);
}

constexpr std::size_t kPlain = alignof(std::max_align_t);
std::size_t number(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

void* operator new(std::size_t n) { return allocate_or_throw(n, kPlain); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, kPlain); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, number(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, number(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, kPlain); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, kPlain); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, number(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, number(a));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }

// Device memory.
extern "C" __attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment,
                                                                      std::size_t bytes) noexcept {
  void* memory = nullptr;
  if (shall_fail() || posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
  return memory;
}

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
    void* argument) noexcept {
  if (shall_fail()) return EAGAIN;
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, start, argument);
}

namespace aclgrad::faults {

void exempt_this_thread() { t_exempt = true; }
int64_t requests() { return g_requests; }
void arm(int64_t n) {
  g_fired = false;
  g_requests = 0;
  g_failing = n;
}
void disarm() {
  g_failing = 0;
  g_requests = 0;
}
bool has_fired() { return g_fired; }
int64_t live_allocations() { return g_live; }
void enter_library() { t_exempt = false; }
void leave_library() { t_exempt = true; }

}  // namespace aclgrad::faults
