// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "acl/acl_base.h"

namespace {

// Lines below this level are dropped.
int lowest_level() {
  static const int level = [] {
    const char* const wanted = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
    if (wanted == nullptr || *wanted < '0' || *wanted > '9') return static_cast<int>(ACL_ERROR);
    return std::atoi(wanted);
  }();
  return level;
}

}  // namespace

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line,
               const char* fmt, ...) {
  constexpr std::array<const char*, 4> kNames{"DEBUG", "INFO", "WARNING", "ERROR"};
  const auto level = static_cast<int>(logLevel);
  if (fmt == nullptr || level < lowest_level() || level < 0 || level > ACL_ERROR) return;
  std::array<char, 1024> text{};
  std::va_list arguments;
  va_start(arguments, fmt);
  std::vsnprintf(text.data(), text.size(), fmt, arguments);
  va_end(arguments);
  std::fprintf(stderr, "[%s] %s:%u %s: %s\n", kNames.at(static_cast<size_t>(level)),
               file == nullptr ? "?" : file, line, func == nullptr ? "?" : func, text.data());
}
