// SPDX-License-Identifier: Apache-2.0
// Initialisation and finalisation of the process.
#include <array>
#include <fstream>
#include <mutex>
#include <string>

#include "ops/runtime/device.h"
#include "ops/runtime/errors.h"
#include "ops/runtime/hooks.h"
#include "ops/runtime/init_config.h"

namespace aclgrad::runtime {
namespace {

constexpr size_t kLargestFile = 10U << 20;  // bytes

struct Process {
  std::mutex mutex;
  uint64_t uses = 0;
  bool finalized = false;
  std::string config;  // text of the file of the first aclInit
};

Process& process() {
  static auto& instance = *new Process;
  return instance;
}

aclError bad_config(const Call& call, aclError status, const std::string& path,
                    const std::string& why) {
  return call.failed(status, fmt::format("argument configPath (\"{}\"): {}", path, why));
}

aclError read_config(const Call& call, const std::string& path, std::string& text) {
  if (path.empty()) return ACL_SUCCESS;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return bad_config(call, ACL_ERROR_INVALID_FILE, path,
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
    return bad_config(call, ACL_ERROR_INVALID_FILE, path,
                      "the file cannot be read, expected a readable one");
  }
  if (text.empty() || text.size() > kLargestFile) {
    return bad_config(
        call, ACL_ERROR_INVALID_FILE_SIZE, path,
        fmt::format("the file has {}{} bytes, expected 1 to {}",
                    text.size() > kLargestFile ? "at least " : "", text.size(), kLargestFile));
  }
  return ACL_SUCCESS;
}

// With the process locked.
aclError finalize(const Call& call) {
  if (Hooks* const active = hooks()) active->before_finalize();
  if (const aclError status = release_all_devices(call)) return status;
  process().uses = 0;
  process().finalized = true;
  process().config.clear();
  set_messages_per_process(false);
  return ACL_SUCCESS;
}

aclError already_finalized(const Call& call) {
  return call.failed(ACL_ERROR_REPEAT_FINALIZE, "the process is finalized already",
                     "aclFinalize was called twice, or without aclInit.");
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclInit(const char* configPath) {
  return entry(__func__, [&](const Call& call) -> aclError {
    const std::string path = configPath == nullptr ? "" : configPath;
    const std::lock_guard lock(process().mutex);
    std::string text;
    if (const aclError status = read_config(call, path, text)) return status;
    if (process().uses > 0) {
      if (text != process().config) {
        return bad_config(call, ACL_ERROR_INVALID_PARAM, path,
                          "the configuration differs from that of the first aclInit");
      }
      ++process().uses;
      return call.failed(ACL_ERROR_REPEAT_INITIALIZE, "the process is initialised already",
                         "Harmless: the call is counted.");
    }
    const InitConfig config = parse_init_config(text);
    if (config.status != ACL_SUCCESS) return bad_config(call, config.status, path, config.problem);
    set_messages_per_process(config.messages_per_process);
    process().config = std::move(text);
    process().uses = 1;
    process().finalized = false;
    return ACL_SUCCESS;
  });
}

aclError aclFinalize() {
  return entry(__func__, [&](const Call& call) -> aclError {
    const std::lock_guard lock(process().mutex);
    return process().finalized ? already_finalized(call) : finalize(call);
  });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return entry(__func__, [&](const Call& call) -> aclError {
    const std::lock_guard lock(process().mutex);
    aclError status = ACL_SUCCESS;
    if (process().uses == 0) {
      status = already_finalized(call);
    } else if (process().uses > 1) {
      --process().uses;
    } else {
      status = finalize(call);
    }
    if (refCount != nullptr) *refCount = process().uses;
    return status;
  });
}
