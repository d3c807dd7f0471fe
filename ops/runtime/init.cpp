// SPDX-License-Identifier: Apache-2.0
// Initialisation and finalisation of the process.
#include <array>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "ops/runtime/device.h"
#include "ops/runtime/diagnostics/blocks.h"
#include "ops/runtime/diagnostics/objects.h"
#include "ops/runtime/errors.h"

namespace aclgrad::runtime {
namespace {

using Json = nlohmann::json;

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
  try {
    text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure&) {
    file.setstate(std::ios::badbit);  // a folder opens, but cannot be read
  }
  if (file.bad()) {
    return bad_config(call, ACL_ERROR_INVALID_FILE, path,
                      "the file cannot be read, expected a readable one");
  }
  if (text.empty() || text.size() > kLargestFile) {
    return bad_config(
        call, ACL_ERROR_INVALID_FILE_SIZE, path,
        fmt::format("the file has {} bytes, expected 1 to {}", text.size(), kLargestFile));
  }
  return ACL_SUCCESS;
}

// What one key of a section must hold when it is there.
struct KeyRule {
  const char* key;
  bool (*holds)(const Json& value);
  const char* expected;
};

bool is_text(const Json& value) { return value.is_string(); }
bool is_list(const Json& value) { return value.is_array(); }
bool is_dump_mode(const Json& value) {
  return value == "input" || value == "output" || value == "all";
}
bool is_switch(const Json& value) { return value == "on" || value == "off"; }

constexpr std::array<KeyRule, 4> kDumpRules{{
    {"dump_path", is_text, "a string"},
    {"dump_mode", is_dump_mode, "\"input\", \"output\" or \"all\""},
    {"dump_list", is_list, "a list"},
    {"dump_op_switch", is_switch, "\"on\" or \"off\""},
}};
constexpr std::array<KeyRule, 3> kProfilerRules{{
    {"switch", is_switch, "\"on\" or \"off\""},
    {"output", is_text, "a string"},
    {"aic_metrics", is_text, "a string"},
}};

template <size_t N>
aclError check_section(const Call& call, const std::string& path, const Json& config,
                       const char* name, const std::array<KeyRule, N>& rules, aclError status) {
  const auto section = config.find(name);
  if (section == config.end()) return ACL_SUCCESS;
  if (!section->is_object()) {
    return bad_config(call, status, path,
                      fmt::format("\"{}\" is not an object, as expected", name));
  }
  for (const KeyRule& rule : rules) {
    const auto value = section->find(rule.key);
    if (value != section->end() && !rule.holds(*value)) {
      return bad_config(call, status, path,
                        fmt::format("\"{}\" in \"{}\" is {}, expected {}", rule.key, name,
                                    value->dump(), rule.expected));
    }
  }
  return ACL_SUCCESS;
}

// Checks the file's text and tells what it asks for.
aclError parse_config(const Call& call, const std::string& path, const std::string& text,
                      bool& messages_per_process) {
  messages_per_process = false;
  if (text.empty()) return ACL_SUCCESS;
  const Json config = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) {
    return bad_config(call, ACL_ERROR_PARSE_FILE, path,
                      "the file does not hold what was expected, a JSON object");
  }
  if (const aclError status =
          check_section(call, path, config, "dump", kDumpRules, ACL_ERROR_INVALID_DUMP_CONFIG)) {
    return status;
  }
  if (const aclError status = check_section(call, path, config, "profiler", kProfilerRules,
                                            ACL_ERROR_INVALID_PROFILING_CONFIG)) {
    return status;
  }
  if (const auto mode = config.find("err_msg_mode"); mode != config.end()) {
    if (*mode != "0" && *mode != "1") {
      return bad_config(
          call, ACL_ERROR_INVALID_PARAM, path,
          fmt::format("\"err_msg_mode\" is {}, expected \"0\" or \"1\"", mode->dump()));
    }
    messages_per_process = *mode == "1";
  }
  return ACL_SUCCESS;
}

// With the process locked.
aclError finalize(const Call& call) {
  if (diagnostics::enabled(diagnostics::kMemory)) {
    diagnostics::check_all_redzones("at aclFinalize");
  }
  if (diagnostics::enabled(diagnostics::kNeedObjects)) diagnostics::report_leftovers();
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
    bool messages_per_process = false;
    if (const aclError status = parse_config(call, path, text, messages_per_process)) {
      return status;
    }
    set_messages_per_process(messages_per_process);
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
