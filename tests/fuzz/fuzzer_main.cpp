// SPDX-License-Identifier: Apache-2.0
// One target for libFuzzer; which, the build says.
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const aclgrad::fuzz::Target& target = [&]() -> const aclgrad::fuzz::Target& {
    for (const aclgrad::fuzz::Target& each : aclgrad::fuzz::targets()) {
      if (std::strcmp(each.name, ACLGRAD_FUZZ_TARGET) == 0) return each;
    }
    std::abort();
  }();
  target.run(data, size);
  return 0;
}
