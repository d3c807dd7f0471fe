// SPDX-License-Identifier: Apache-2.0
// The table of live handles: which addresses are objects of this library right now, and of what
// kind.
#include <array>
#include <cstdint>
#include <mutex>
#include <new>
#include <unordered_map>

#include "aclgrad_ext.h"

namespace {

// Cut into shards so that threads working on different objects seldom meet.
struct Shard {
  std::mutex mutex;
  std::unordered_map<const void*, aclgradHandleKind> live;
};

Shard& shard_of(const void* handle) {
  constexpr size_t kShards = 64;
  // Never destroyed: objects may be released by other static destructors.
  static auto& shards = *new std::array<Shard, kShards>;
  const auto address = reinterpret_cast<uintptr_t>(handle);
  return shards[(address >> 5 ^ address >> 11) % kShards];
}

}  // namespace

aclError aclgradHandleAdd(const void* handle, aclgradHandleKind kind) {
  try {
    Shard& shard = shard_of(handle);
    const std::lock_guard lock(shard.mutex);
    shard.live[handle] = kind;
    return ACL_SUCCESS;
  } catch (const std::bad_alloc&) {
    return ACL_ERROR_BAD_ALLOC;
  }
}

int32_t aclgradHandleRemove(const void* handle, aclgradHandleKind kind) {
  Shard& shard = shard_of(handle);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.live.find(handle);
  if (found == shard.live.end() || found->second != kind) return 0;
  shard.live.erase(found);
  return 1;
}

int32_t aclgradHandleCheck(const void* handle, aclgradHandleKind kind) {
  Shard& shard = shard_of(handle);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.live.find(handle);
  return found != shard.live.end() && found->second == kind ? 1 : 0;
}
