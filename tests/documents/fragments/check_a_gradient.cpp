// SPDX-License-Identifier: Apache-2.0
// block 1
// block 4
#include <fmt/format.h>

using namespace aclgrad;

void check() {
  // block 2
  // block 3
}

void check_square() {
  // block 5
}
