// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/tensor/float16.h"

#include "aclgrad_common/float16.h"

namespace aclgrad {

Half::Half(double value) : bits(common::to_float16(value)) {}

Half::operator float() const { return common::float16_to_float(bits); }

BFloat16::BFloat16(double value) : bits(common::to_bfloat16(value)) {}

BFloat16::operator float() const { return common::bfloat16_to_float(bits); }

}  // namespace aclgrad
