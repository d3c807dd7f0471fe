// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/call.h"

#include <iterator>

#include "acl/acl.h"
#include "aclgrad_ext.h"
#include "hccl/hccl.h"

namespace aclgrad::hccl {

std::string to_text(std::chrono::milliseconds time) {
  if (time.count() % 1000 == 0) return fmt::format("{} s", time.count() / 1000);
  return fmt::format("{} ms", time.count());
}

Failure null_pointer(const char* parameter) {
  return {HCCL_E_PTR, fmt::format("argument {} is a null pointer, expected an address", parameter)};
}

Failure not_live(HcclComm comm) {
  return {HCCL_E_PARA,
          fmt::format("argument comm ({}) is not a live communicator of this device", comm),
          "It was destroyed already, belongs to another device, or is a handle of another kind."};
}

int32_t current_device() {
  int32_t device = 0;
  if (aclrtGetDevice(&device) == ACL_SUCCESS) return device;
  throw Failure(HCCL_E_RUNTIME, "the calling thread has no device",
                "Call aclrtSetDevice on this thread first.");
}

HcclResult report(const char* function, HcclResult result, const std::string& text,
                  const char* solution) noexcept {
  try {
    // How the vendor classes its messages.
    using Class = std::pair<const char*, const char*>;
    const bool is_refusal =
        result == HCCL_E_PARA || result == HCCL_E_PTR || result == HCCL_E_NOT_SUPPORT;
    const auto [code, title] =
        is_refusal ? Class("EI0003", "Invalid_Argument_Collective_Communication_Operator")
        : result == HCCL_E_TIMEOUT ? Class("EI0006", "Getting_Socket_Times_Out")
                                   : Class("EI9999", "Inner_Error");
    const std::string message =
        fmt::format("{} returned {}: {}.", function, static_cast<int>(result), text);
    aclgradReportError(code, title, message.c_str(), nullptr, solution);
  } catch (...) {
    // Out of memory while reporting an error: the status alone is returned.
  }
  return result;
}

}  // namespace aclgrad::hccl

const char* HcclGetErrorString(HcclResult code) {
  // clang-format off
  static constexpr const char* kTexts[] = {
      "no error", "parameter error", "empty pointer", "memory error", "internal error",
      "not support feature", "not found specific resource", "resource unavailable",
      "call system interface error", "timeout", "open file fail", "tcp connect fail",
      "roce connect fail", "tcp transfer fail", "roce transfer fail", "call runtime api fail",
      "call driver api fail", "call profiling api fail", "call cce api fail",
      "call network api fail", "try again", "error cqe", "error communicator suspending",
      "retry constraint", "out of memory"};
  // clang-format on
  static_assert(std::size(kTexts) == HCCL_E_OOM + 1);
  const auto number = static_cast<long>(code);
  if (number < 0 || number >= HCCL_E_RESERVED) return "unknown error";
  return number <= HCCL_E_OOM ? kTexts[static_cast<size_t>(number)] : "unknown err";
}
