// SPDX-License-Identifier: Apache-2.0
// The table of live handles: which addresses are objects of this library right now, and of what
// kind.
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <unordered_map>

#include "aclgrad_ext.h"
#include "ops/meta/diagnostics/enabled.h"

using aclgrad::ops::diagnosing;
using aclgrad::ops::kNeedObjects;

namespace {

// Cut into shards so that threads working on different objects seldom meet.
struct Shard {
  std::mutex mutex;
  std::unordered_map<const void*, aclgradHandleKind> live;
  std::atomic<uint64_t> removals{0};
};

// What a thread has found live last: a repeatable executor, say. It still is as long as its shard
// has removed nothing.
struct Found {
  const void* handle;
  aclgradHandleKind kind;
  uint64_t removals;
};
thread_local Found last_found{};

Shard& shard_of(const void* handle) {
  constexpr size_t kShards = 64;
  // Never destroyed: objects may be released by other static destructors. In memory that is there
  // from the start, because destroying and checking must not fail.
  using Shards = std::array<Shard, kShards>;
  alignas(Shards) static unsigned char memory[sizeof(Shards)];
  static auto& shards = *new (memory) Shards;
  const auto address = reinterpret_cast<uintptr_t>(handle);
  return shards[(address >> 5 ^ address >> 11) % kShards];
}

const char* name_of(aclgradHandleKind kind) {
  constexpr std::array kNames{"handle",        "aclTensor",     "aclScalar",
                              "aclIntArray",   "aclFloatArray", "aclBoolArray",
                              "aclTensorList", "aclScalarList", "aclOpExecutor"};
  const auto index = static_cast<size_t>(kind);
  return kNames.at(index < kNames.size() ? index : 0);
}

void tell_missing(const void* handle, aclgradHandleKind kind) {
  // A dead executor is a matter of the phases too.
  const bool wanted = diagnosing(ACLGRAD_CHECK_HANDLES) ||
                      (kind == ACLGRAD_HANDLE_EXECUTOR && diagnosing(ACLGRAD_CHECK_PHASES));
  if (wanted) aclgradObjectMissing(handle, name_of(kind));
}

}  // namespace

aclError aclgradHandleAdd(const void* handle, aclgradHandleKind kind) {
  try {
    Shard& shard = shard_of(handle);
    const std::lock_guard lock(shard.mutex);
    const bool is_new = shard.live.insert_or_assign(handle, kind).second;
    if (!is_new) shard.removals.fetch_add(1, std::memory_order_release);
    if (diagnosing(kNeedObjects)) aclgradObjectMade(handle, name_of(kind));
    return ACL_SUCCESS;
  } catch (const std::bad_alloc&) {
    return ACL_ERROR_BAD_ALLOC;
  }
}

int32_t aclgradHandleRemove(const void* handle, aclgradHandleKind kind) {
  Shard& shard = shard_of(handle);
  {
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.live.find(handle);
    if (found != shard.live.end() && found->second == kind) {
      shard.live.erase(found);
      shard.removals.fetch_add(1, std::memory_order_release);
      if (diagnosing(kNeedObjects)) aclgradObjectGone(handle);
      return 1;
    }
  }
  tell_missing(handle, kind);
  return 0;
}

int32_t aclgradHandleCheck(const void* handle, aclgradHandleKind kind) {
  Shard& shard = shard_of(handle);
  if (handle != nullptr && last_found.handle == handle && last_found.kind == kind &&
      last_found.removals == shard.removals.load(std::memory_order_acquire)) {
    return 1;
  }
  {
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.live.find(handle);
    if (found != shard.live.end() && found->second == kind) {
      last_found = {handle, kind, shard.removals.load(std::memory_order_relaxed)};
      return 1;
    }
  }
  tell_missing(handle, kind);
  return 0;
}
