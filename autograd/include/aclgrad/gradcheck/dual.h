// SPDX-License-Identifier: Apache-2.0
// Dual numbers, with which formulas are differentiated to the last digit.
#pragma once

#include "aclgrad_contract/dual.h"

namespace aclgrad::gradcheck {

using contract::Dual;

}  // namespace aclgrad::gradcheck
