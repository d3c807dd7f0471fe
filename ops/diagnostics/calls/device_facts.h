// SPDX-License-Identifier: Apache-2.0
// Calls that work here and that a device was seen to refuse, or to answer wrongly
// (ACLGRAD_CHECK=device).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ops/meta/operator.h"
#include "ops/meta/soc.h"

namespace aclgrad::diagnostics {

// What is known about this call on this product, a sentence each: "aclnnCumsum: self is BOOL. On
// 910B with CANN 9.0.0 this was refused with 161002 (Torch-FL 1adbc97)."
std::vector<std::string> device_answers(const ops::OperatorSpec& spec,
                                        std::span<const ops::Argument> arguments, ops::Soc soc);

}  // namespace aclgrad::diagnostics
