// SPDX-License-Identifier: Apache-2.0
// Initialisation and finalisation of the process.
#include <array>
#include <fstream>
#include <mutex>
#include <string>

#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/call/errors.h"
#include "ops/runtime/call/hooks.h"
#include "ops/runtime/process/devices.h"
#include "ops/runtime/process/init_config.h"

namespace aclgrad::runtime {
namespace {

constexpr size_t kLargestFile = 10U << 20;  // bytes

struct Process {
  std::mutex mutex;
  uint64_t uses = 0;
  bool finalized = false;
  std::string config;  // text of the file of the first aclInit
};

Process& process() { return never_destroyed<Process>(); }

[[noreturn]] void bad_config(const Call& call, aclError status, const std::string& path,
                             const std::string& why) {
  call.failed(status, fmt::format("argument configPath (\"{}\"): {}", path, why));
}

void read_config(const Call& call, const std::string& path, std::string& text) {
  if (path.empty()) return;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    bad_config(call, ACL_ERROR_INVALID_FILE, path,
               "the file cannot be opened, expected a readable one");
  }
  // No more than it takes to see that there is too much: some files never end.
  std::array<char, 4096> chunk;
  while (text.size() <= kLargestFile) {
    file.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<size_t>(file.gcount()));
    if (!file) break;
  }
  if (file.bad()) {
    bad_config(call, ACL_ERROR_INVALID_FILE, path,
               "the file cannot be read, expected a readable one");
  }
  if (text.empty() || text.size() > kLargestFile) {
    bad_config(
        call, ACL_ERROR_INVALID_FILE_SIZE, path,
        fmt::format("the file has {}{} bytes, expected 1 to {}",
                    text.size() > kLargestFile ? "at least " : "", text.size(), kLargestFile));
  }
}

// With the process locked.
void finalize(const Call& call) {
  if (RuntimeHooks* const active = hooks()) active->before_finalize();
  release_all_devices(call);
  process().uses = 0;
  process().finalized = true;
  process().config.clear();
  set_messages_per_process(false);
}

[[noreturn]] void already_finalized(const Call& call) {
  call.failed(ACL_ERROR_REPEAT_FINALIZE, "the process is finalized already",
              "aclFinalize was called twice, or without aclInit.");
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclInit(const char* configPath) {
  return entry(__func__, [&](const Call& call) {
    const std::string path = configPath == nullptr ? "" : configPath;
    const std::lock_guard lock(process().mutex);
    std::string text;
    read_config(call, path, text);
    if (process().uses > 0) {
      if (text != process().config) {
        bad_config(call, ACL_ERROR_INVALID_PARAM, path,
                   "the configuration differs from that of the first aclInit");
      }
      ++process().uses;
      call.failed(ACL_ERROR_REPEAT_INITIALIZE, "the process is initialised already",
                  "Harmless: the call is counted.");
    }
    const InitConfig config = parse_init_config(text);
    if (config.status != ACL_SUCCESS) bad_config(call, config.status, path, config.problem);
    set_messages_per_process(config.messages_per_process);
    process().config = std::move(text);
    process().uses = 1;
    process().finalized = false;
  });
}

aclError aclFinalize() {
  return entry(__func__, [&](const Call& call) {
    const std::lock_guard lock(process().mutex);
    if (process().finalized) already_finalized(call);
    finalize(call);
  });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return entry(__func__, [&](const Call& call) {
    const std::lock_guard lock(process().mutex);
    const struct Count {  // also of a call that fails
      uint64_t* reference_count;
      ~Count() {
        if (reference_count != nullptr) *reference_count = process().uses;
      }
    } afterwards{refCount};
    if (process().uses == 0) already_finalized(call);
    if (process().uses > 1) {
      --process().uses;
    } else {
      finalize(call);
    }
  });
}
