// SPDX-License-Identifier: Apache-2.0
// One target for libFuzzer; which, the build says.
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  aclgrad::fuzz::ACLGRAD_FUZZ_TARGET(data, size);
  return 0;
}
