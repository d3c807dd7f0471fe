// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "hccl/hccl.h"
#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {
namespace {

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

constexpr uint32_t kMostDeterministic = 2;

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
  Header header{};
  std::memcpy(&header, given.reserved, sizeof header);
  if (header.magic != HCCL_COMM_CONFIG_MAGIC_WORD) {
    throw Failure(HCCL_E_PARA, "argument config was not initialised",
                  "Call HcclCommConfigInit before setting fields.");
  }
  version = header.version;
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  if (header.size < offsetof(HcclCommConfig, hcclCommName)) {
    throw Failure(HCCL_E_PARA, fmt::format("argument config says that it has {} bytes, expected at "
                                           "least {}",
                                           header.size, offsetof(HcclCommConfig, hcclCommName)));
  }
  std::memcpy(&config, &given, std::min<size_t>(header.size, sizeof config));
  return config;
}

std::string name_in(const HcclCommConfig& config) {
  const auto* const end =
      std::find(std::begin(config.hcclCommName), std::end(config.hcclCommName), '\0');
  if (end == std::end(config.hcclCommName)) {
    throw Failure(HCCL_E_PARA, fmt::format("argument config has a name without an end, expected at "
                                           "most {} characters",
                                           COMM_NAME_MAX_LENGTH - 1));
  }
  return std::string(std::begin(config.hcclCommName), end);
}

}  // namespace

Settings default_settings() {
  const Environment environment = read_environment();
  return {.exec_timeout = environment.exec_timeout, .connect_timeout = environment.connect_timeout};
}

Settings settings_from(const HcclCommConfig* given, Settings settings) {
  if (given == nullptr) {
    throw Failure(HCCL_E_PARA, "argument config is a null pointer, expected a configuration");
  }
  uint32_t version = 0;
  const HcclCommConfig config = read(*given, version);
  check(config.hcclBufferSize >= 1, "hcclBufferSize", config.hcclBufferSize, "1 or more");
  const uint32_t level = config.hcclDeterministic;
  const uint32_t most = is_default_product() ? kMostDeterministic : kMostDeterministic - 1;
  check(level <= most || level == HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET, "hcclDeterministic",
        level, "0, 1, or on Ascend910B 2");
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
  return entry(__func__, [&](const Call& call) {
    if (config != HCCL_DETERMINISTIC) {
      return call.bad_value(HCCL_E_PARA, "config", static_cast<int64_t>(config),
                            "HCCL_DETERMINISTIC (0)");
    }
    const int32_t value = configValue.value;
    if (value < 0 || value > static_cast<int32_t>(kMostDeterministic)) {
      return call.bad_value(HCCL_E_PARA, "configValue", value, "0, 1 or 2");
    }
    if (value == static_cast<int32_t>(kMostDeterministic) && !is_default_product()) {
      return call.not_supported("argument configValue is 2, which only Ascend910B has");
    }
    if (!has_deterministic_variable()) g_deterministic = value;
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue) {
  return entry(__func__, [&](const Call& call) {
    if (configValue == nullptr) return call.null_pointer("configValue");
    if (config != HCCL_DETERMINISTIC) {
      return call.bad_value(HCCL_E_PARA, "config", static_cast<int64_t>(config),
                            "HCCL_DETERMINISTIC (0)");
    }
    const std::optional<uint32_t> fixed =
        has_deterministic_variable() ? read_environment().deterministic : std::nullopt;
    configValue->value = fixed ? static_cast<int32_t>(*fixed) : g_deterministic.load();
    return HCCL_SUCCESS;
  });
}
