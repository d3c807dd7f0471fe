// SPDX-License-Identifier: Apache-2.0
// What a communicator is set to: environment variables and configs.
#include "ops/hccl/communicator.h"

#include <strings.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "hccl/hccl.h"
#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {
namespace {

// ---- Environment variables ----------------------------------------------------------------------

constexpr char kDeterministic[] = "HCCL_DETERMINISTIC";

// Without the 20 seconds that the vendor adds to let the reason spread: here no other rank has it.
constexpr int64_t kDefaultConnectSeconds = 120;
constexpr int64_t kDefaultExecSeconds = 1836;
constexpr int64_t kMaxSeconds = 2147483647;

// "" when it is not set.
std::string_view value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

Failure bad_variable(const char* variable, const std::string& expected) {
  return {HCCL_E_PARA, fmt::format("environment variable {} is \"{}\", expected {}", variable,
                                   value_of(variable), expected)};
}

int64_t seconds(const char* variable, int64_t min, int64_t max, int64_t unset) {
  const std::string_view text = value_of(variable);
  if (text.empty()) return unset;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= min && number <= max) {
    return number;
  }
  throw bad_variable(variable, fmt::format("a number of seconds, {} to {}", min, max));
}

// false, true, strict, in any case: 0, 1, 2; nothing when it is not set.
std::optional<int32_t> deterministic_variable() {
  const std::string value(value_of(kDeterministic));
  if (value.empty()) return {};
  if (strcasecmp(value.c_str(), "false") == 0) return 0;
  if (strcasecmp(value.c_str(), "true") == 0) return 1;
  if (strcasecmp(value.c_str(), "strict") == 0) return 2;
  throw bad_variable(kDeterministic, "true, false or strict");
}

// ---- Configs ------------------------------------------------------------------------------------

// What HcclCommConfig.reserved holds.
struct Header {
  uint64_t size;
  uint32_t magic;
  uint32_t version;
  uint64_t reserved;
};
static_assert(sizeof(Header) == HCCL_COMM_CONFIG_INFO_BYTES);

// Items by the version that brought them.
constexpr uint32_t kNameSince = 2;
constexpr uint32_t kZeroCopySince = 7;
constexpr uint32_t kExecTimeoutSince = 8;

constexpr uint32_t kMaxDeterministic = 2;  // on Ascend910B, else 1

// What HcclGetCommConfigCapability tells: one more than the number of the last item.
constexpr uint32_t kCapability = 12;

std::atomic<int32_t> g_deterministic{0};

void check(bool is_good, const char* field, uint32_t value, const char* expected) {
  if (is_good) return;
  throw Failure(HCCL_E_PARA,
                fmt::format("argument config has {} {}, expected {}", field, value, expected));
}

// The config as one of our version, whatever the program was compiled with.
HcclCommConfig read(const HcclCommConfig& given, uint32_t& version) {
  constexpr size_t kMinBytes = offsetof(HcclCommConfig, hcclCommName);
  Header header{};
  std::memcpy(&header, given.reserved, sizeof header);
  if (header.magic != HCCL_COMM_CONFIG_MAGIC_WORD) {
    throw Failure(HCCL_E_PARA, "argument config was not initialised",
                  "Call HcclCommConfigInit before setting fields.");
  }
  if (header.size < kMinBytes) {
    throw bad_value("config", fmt::format("of {} bytes", header.size),
                    fmt::format("at least {}", kMinBytes));
  }
  version = header.version;
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  std::memcpy(&config, &given, std::min<size_t>(header.size, sizeof config));
  return config;
}

std::string name_in(const HcclCommConfig& config) {
  const size_t length = strnlen(config.hcclCommName, COMM_NAME_MAX_LENGTH);
  if (length < COMM_NAME_MAX_LENGTH) return {config.hcclCommName, length};
  throw bad_value("config", "with a name without an end",
                  fmt::format("at most {} characters", COMM_NAME_MAX_LENGTH - 1));
}

void check_is_deterministic(HcclConfig config) {
  if (config == HCCL_DETERMINISTIC) return;
  throw bad_value("config", static_cast<int64_t>(config), "HCCL_DETERMINISTIC (0)");
}

}  // namespace

Settings default_settings() {
  deterministic_variable();  // is checked
  const int64_t vendors = seconds("HCCL_CONNECT_TIMEOUT", 120, 7200, kDefaultConnectSeconds);
  const int64_t connect = seconds("ACLGRAD_HCCL_CONNECT_TIMEOUT", 1, kMaxSeconds, vendors);
  const int64_t exec = seconds("HCCL_EXEC_TIMEOUT", 0, kMaxSeconds, kDefaultExecSeconds);
  Settings settings{.exec_timeout = {}, .connect_timeout = std::chrono::seconds(connect)};
  if (exec > 0) settings.exec_timeout = std::chrono::seconds(exec);
  return settings;
}

Settings settings_from(const HcclCommConfig* given, Settings settings) {
  if (given == nullptr) {
    throw Failure(HCCL_E_PARA, "argument config is a null pointer, expected a configuration");
  }
  uint32_t version = 0;
  const HcclCommConfig config = read(*given, version);
  check(config.hcclBufferSize >= 1, "hcclBufferSize", config.hcclBufferSize, "1 or more");
  const uint32_t level = config.hcclDeterministic;
  const uint32_t max = is_default_product() ? kMaxDeterministic : kMaxDeterministic - 1;
  check(level <= max || level == HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET, "hcclDeterministic", level,
        "0, 1, or on Ascend910B 2");
  if (version >= kNameSince) settings.name = name_in(config);
  if (version >= kZeroCopySince) {
    check(config.aclGraphZeroCopyEnable <= 1, "aclGraphZeroCopyEnable",
          config.aclGraphZeroCopyEnable, "0 or 1");
  }
  if (version >= kExecTimeoutSince && config.hcclExecTimeOut >= 0) {
    settings.exec_timeout.reset();
    if (config.hcclExecTimeOut > 0) {
      settings.exec_timeout = std::chrono::seconds(config.hcclExecTimeOut);
    }
  }
  return settings;
}

}  // namespace aclgrad::hccl

using namespace aclgrad::hccl;

uint32_t HcclGetCommConfigCapability() { return kCapability; }

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue) {
  return entry(__func__, [&] {
    check_is_deterministic(config);
    const int32_t value = configValue.value;
    constexpr auto kMax = static_cast<int32_t>(kMaxDeterministic);
    if (value < 0 || value > kMax) throw bad_value("configValue", value, "0, 1 or 2");
    if (value == kMax && !is_default_product()) {
      throw Failure(HCCL_E_NOT_SUPPORT, "argument configValue is 2, which only Ascend910B has");
    }
    if (value_of(kDeterministic).empty()) g_deterministic = value;
  });
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue) {
  return entry(__func__, [&] {
    if (configValue == nullptr) throw null_pointer("configValue");
    check_is_deterministic(config);
    configValue->value = deterministic_variable().value_or(g_deterministic);
  });
}
