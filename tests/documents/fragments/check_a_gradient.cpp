// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>
#include <aclgrad/gradcheck.h>
#include <fmt/format.h>

using namespace aclgrad;

void check() {
  // block 1
}
