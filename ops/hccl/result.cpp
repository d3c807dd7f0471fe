// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "hccl/hccl.h"

const char* HcclGetErrorString(HcclResult code) {
  static constexpr std::array kWords{"no error",
                                     "parameter error",
                                     "empty pointer",
                                     "memory error",
                                     "internal error",
                                     "not support feature",
                                     "not found specific resource",
                                     "resource unavailable",
                                     "call system interface error",
                                     "timeout",
                                     "open file fail",
                                     "tcp connect fail",
                                     "roce connect fail",
                                     "tcp transfer fail",
                                     "roce transfer fail",
                                     "call runtime api fail",
                                     "call driver api fail",
                                     "call profiling api fail",
                                     "call cce api fail",
                                     "call network api fail",
                                     "try again",
                                     "error cqe",
                                     "error communicator suspending",
                                     "retry constraint",
                                     "out of memory"};
  static_assert(kWords.size() == HCCL_E_OOM + 1);
  const auto number = static_cast<long>(code);
  if (number < 0 || number >= HCCL_E_RESERVED) return "unknown error";
  const auto index = static_cast<size_t>(number);
  return index < kWords.size() ? kWords[index] : "unknown err";
}
