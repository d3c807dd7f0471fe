// SPDX-License-Identifier: Apache-2.0
#include "ops/record/behind.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>

#include "ops/record/settings.h"

namespace aclgrad::record {
namespace {

// In a folder of stand-ins (CMakeLists.txt) the libraries behind have these names.
constexpr const char* kBehind[] = {
    "libopapi.so.behind",      "libnnopbase.so.behind",        "libascendcl.so.behind",
    "libhccl.so.behind",       "libopapi_nn.so.behind",        "libopapi_math.so.behind",
    "libaclnn_math.so.behind", "libaclnn_ops_infer.so.behind", "libacl_op_compiler.so.behind"};

constexpr int32_t kLongestWait =
    60'000;  // milliseconds, for work that waits for what the program does later

struct Runtime {
  std::mutex mutex;
  std::map<uintptr_t, uint64_t> blocks;
  std::map<aclrtStream, aclError> failures;
  std::atomic<int> captures = 0;
  std::atomic<bool> may_be_endless = false;
};

Runtime& runtime() {
  static Runtime* const instance = new Runtime;
  return *instance;
}

bool is_in_one_block(uintptr_t begin, uint64_t size) {
  Runtime& all = runtime();
  const std::lock_guard lock(all.mutex);
  auto after = all.blocks.upper_bound(begin);
  if (after == all.blocks.begin()) return false;
  const auto& [start, extent] = *--after;
  return begin - start < extent && size <= extent - (begin - start);
}

// A library that needs another by a name for which there is a stand-in has the recorder among what
// it needs: asked for a function that it lacks, it gives the recorder's own.
bool is_of_recorder(const void* function) {
  Dl_info its{}, ours{};
  return dladdr(function, &its) != 0 && dladdr(kBehind, &ours) != 0 &&
         its.dli_fbase == ours.dli_fbase;
}

}  // namespace

void* find_behind(const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  for (const char* const library : kBehind) {
    void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void* const found = handle == nullptr ? nullptr : dlsym(handle, name);
    if (found != nullptr && !is_of_recorder(found)) return found;
  }
  return nullptr;
}

void block_made(const void* address, uint64_t size) {
  if (address == nullptr) return;
  const std::lock_guard lock(runtime().mutex);
  runtime().blocks[reinterpret_cast<uintptr_t>(address)] = size;
}

void block_gone(const void* address) {
  const std::lock_guard lock(runtime().mutex);
  runtime().blocks.erase(reinterpret_cast<uintptr_t>(address));
}

bool is_host_memory() {
  static const bool is_ours = find_behind("aclgradAllocationBytes") != nullptr;
  return is_ours;
}

bool is_in_block(uintptr_t address) { return is_in_one_block(address, 1); }

std::optional<std::span<const std::byte>> read_device(uintptr_t begin, uint64_t size,
                                                      std::vector<std::byte>& room) {
  auto* const data = reinterpret_cast<std::byte*>(begin);
  if (is_host_memory() && is_in_one_block(begin, size))
    return std::span<const std::byte>(data, size);
  constexpr uint64_t kMost = uint64_t{1} << 40;
  if (size > kMost) return std::nullopt;
  room.resize(size);
  if (is_host_memory()) {
    // Of an address that nobody has allocated, this fails where reading would end the process.
    const iovec to = {room.data(), size};
    const iovec from = {data, size};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(size))
      return std::nullopt;
  } else {
    static auto* const copy = behind<decltype(aclrtMemcpy)>("aclrtMemcpy");
    if (copy == nullptr || copy(room.data(), size, data, size, ACL_MEMCPY_DEVICE_TO_HOST) != 0)
      return std::nullopt;
  }
  return room;
}

bool wait_for(aclrtStream stream) {
  static auto* const wait = behind<decltype(aclrtSynchronizeStream)>("aclrtSynchronizeStream");
  static auto* const wait_awhile =
      behind<decltype(aclrtSynchronizeStreamWithTimeout)>("aclrtSynchronizeStreamWithTimeout");
  aclError status = ACL_ERROR_API_NOT_SUPPORT;
  if (is_host_memory() && wait != nullptr && !runtime().may_be_endless) {
    status = wait(stream);  // our own libraries do the work in this thread then, without a switch
  } else if (wait_awhile != nullptr) {
    status = wait_awhile(stream, kLongestWait);
  }
  if (status == 0) return true;
  // What the caller has done wrong has other numbers than what its work has met.
  constexpr aclError kFirstOfWork = 500'000;
  const std::lock_guard lock(runtime().mutex);
  if (status >= kFirstOfWork && status != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
    runtime().failures.emplace(stream, status);
  return false;
}

void endless_work_possible() { runtime().may_be_endless = true; }

aclError take_failure(std::optional<aclrtStream> stream) {
  Runtime& all = runtime();
  const std::lock_guard lock(all.mutex);
  const auto found = stream ? all.failures.find(*stream) : all.failures.begin();
  if (found == all.failures.end()) return 0;
  const aclError status = found->second;
  all.failures.erase(found);
  return status;
}

void capture_began() { ++runtime().captures; }
void capture_ended() {
  if (runtime().captures > 0) --runtime().captures;
}
bool is_capturing() { return runtime().captures > 0; }

}  // namespace aclgrad::record
