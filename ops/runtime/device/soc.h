// SPDX-License-Identifier: Apache-2.0
// The chip that the library stands in for: its name decides dtype tables and a few limits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclgrad::runtime {

struct SocFamily {
  const char* name;          // "Ascend910B"
  const char* default_chip;  // the full name that the family's name stands for
  int64_t npu_arch;
  uint32_t most_streams;    // per device
  size_t allocation_extra;  // bytes that aclrtMalloc adds behind the rounded size
};

struct Soc {
  const char* name;  // lives as long as the program
  const SocFamily* family;
};

Soc current_soc();

}  // namespace aclgrad::runtime
