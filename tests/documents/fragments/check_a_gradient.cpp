// SPDX-License-Identifier: Apache-2.0
// block 1
// block 3
#include <fmt/format.h>

using namespace aclgrad;

void check() {
  // block 2
}

void check_square() {
  // block 4
}
