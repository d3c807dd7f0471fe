// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>

using namespace aclgrad;

void scales_in_a_file(const data::Standardizer& in, const data::Standardizer& out) {
  // block 1
}
