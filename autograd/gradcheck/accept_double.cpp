// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/accept_double.h"

#include "aclgrad/error.h"
#include "aclgrad_ext.h"

// Only our own library has them; null on others.
#pragma weak aclgradSetAcceptDouble
#pragma weak aclgradGetAcceptDouble

namespace aclgrad::detail {

AcceptDouble::AcceptDouble() {
  if (aclgradSetAcceptDouble == nullptr || aclgradGetAcceptDouble == nullptr) {
    throw ValueError(
        "gradcheck needs an operator library that can compute in float64 "
        "(aclgradSetAcceptDouble), which this one cannot");
  }
  before_ = aclgradGetAcceptDouble();
  aclgradSetAcceptDouble(1);
}

AcceptDouble::~AcceptDouble() { aclgradSetAcceptDouble(before_); }

}  // namespace aclgrad::detail
