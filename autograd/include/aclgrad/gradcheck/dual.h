// SPDX-License-Identifier: Apache-2.0
// Dual numbers, with which formulas are differentiated to the last digit.
#ifndef ACLGRAD_GRADCHECK_DUAL_H_
#define ACLGRAD_GRADCHECK_DUAL_H_

#include "aclgrad_contract/dual.h"

namespace aclgrad::gradcheck {

using contract::Dual;

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_GRADCHECK_DUAL_H_
