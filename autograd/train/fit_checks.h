// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_AUTOGRAD_TRAIN_FIT_CHECKS_H_
#define ACLGRAD_AUTOGRAD_TRAIN_FIT_CHECKS_H_

#include "aclgrad/fit.h"

namespace aclgrad::detail {

/// Throws ValueError for what fit() refuses before it begins.
void check_fit(const data::Batches& batches, const FitOptions& options, const Optimizer& optimizer);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_FIT_CHECKS_H_
