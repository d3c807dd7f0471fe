// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace aclgrad::hccl {
namespace {

constexpr char kDeterministic[] = "HCCL_DETERMINISTIC";

// Without the 20 seconds that the vendor adds to let the reason spread: here nobody else has it.
constexpr int64_t kDefaultConnectSeconds = 120;
constexpr int64_t kDefaultExecSeconds = 1836;

const char* value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

[[noreturn]] void refuse(const char* variable, std::string_view value,
                         const std::string& expected) {
  throw Failure(HCCL_E_PARA, fmt::format("environment variable {} is \"{}\", expected {}", variable,
                                         value, expected));
}

std::optional<int64_t> seconds(const char* variable, int64_t least, int64_t most) {
  const char* const value = value_of(variable);
  if (value == nullptr) return {};
  const std::string_view text = value;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    refuse(variable, text, fmt::format("a number of seconds, {} to {}", least, most));
  }
  return number;
}

std::optional<uint32_t> deterministic() {
  const char* const value = value_of(kDeterministic);
  if (value == nullptr) return {};
  std::string word = value;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  constexpr std::array kWords{"false", "true", "strict"};
  const auto* const found = std::find(kWords.begin(), kWords.end(), word);
  if (found == kWords.end()) refuse(kDeterministic, value, "true, false or strict");
  return static_cast<uint32_t>(found - kWords.begin());
}

}  // namespace

bool has_deterministic_variable() { return value_of(kDeterministic) != nullptr; }

Environment read_environment() {
  constexpr int64_t kMost = 2147483647;
  const auto vendors = seconds("HCCL_CONNECT_TIMEOUT", 120, 7200);
  const auto ours = seconds("ACLGRAD_HCCL_CONNECT_TIMEOUT", 1, kMost);
  const int64_t exec = seconds("HCCL_EXEC_TIMEOUT", 0, kMost).value_or(kDefaultExecSeconds);
  Environment environment{.deterministic = deterministic(),
                          .connect_timeout = std::chrono::seconds(
                              ours.value_or(vendors.value_or(kDefaultConnectSeconds))),
                          .exec_timeout = {}};
  if (exec > 0) environment.exec_timeout = std::chrono::seconds(exec);
  return environment;
}

}  // namespace aclgrad::hccl
