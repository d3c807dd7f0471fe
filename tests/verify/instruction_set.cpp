// SPDX-License-Identifier: Apache-2.0
// To be loaded before the operator library: has its kernels use the instruction set that
// ACLGRAD_TEST_TARGET names as Highway does (SSE2, SSSE3, SSE4, AVX2, AVX3, ...). Ends the program,
// with status 77, on a processor that has none of that name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>

#include "hwy/targets.h"

namespace {

[[gnu::constructor]] void choose_instruction_set() {
  const char* const name = ::getenv("ACLGRAD_TEST_TARGET");
  if (name == nullptr) return;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    if (::strcmp(hwy::TargetName(target), name) != 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  ::fprintf(stderr, "this processor has no %s\n", name);
  ::_exit(77);
}

}  // namespace
