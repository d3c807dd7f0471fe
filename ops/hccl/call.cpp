// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/call.h"

#include "aclgrad_ext.h"

namespace aclgrad::hccl {
namespace {

// How the vendor classes its messages.
struct MessageClass {
  const char* code;
  const char* title;
};

MessageClass class_of(HcclResult result) {
  switch (result) {
    case HCCL_E_PARA:
    case HCCL_E_PTR:
    case HCCL_E_NOT_SUPPORT:
      return {"EI0003", "Invalid_Argument_Collective_Communication_Operator"};
    case HCCL_E_TIMEOUT:
      return {"EI0006", "Getting_Socket_Times_Out"};
    default:
      return {"EI9999", "Inner_Error"};
  }
}

}  // namespace

HcclResult Call::null_pointer(const char* parameter) const noexcept {
  try {
    return failed(HCCL_E_PTR,
                  fmt::format("argument {} is a null pointer, expected an address", parameter));
  } catch (...) {
    return HCCL_E_PTR;
  }
}

HcclResult Call::no_device() const noexcept {
  return failed(HCCL_E_RUNTIME, "the calling thread has no device",
                "Call aclrtSetDevice on this thread first.");
}

HcclResult Call::not_supported(std::string_view what) const noexcept {
  return failed(HCCL_E_NOT_SUPPORT, what);
}

HcclResult Call::failed(HcclResult result, std::string_view what,
                        const char* solution) const noexcept {
  try {
    const auto [code, title] = class_of(result);
    const std::string text =
        fmt::format("{} returned {}: {}.", function_, static_cast<int>(result), what);
    aclgradReportError(code, title, text.c_str(), nullptr, solution);
  } catch (...) {
    // Out of memory while telling of an error: the status alone has to do.
  }
  return result;
}

}  // namespace aclgrad::hccl
