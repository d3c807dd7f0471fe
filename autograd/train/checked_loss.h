// SPDX-License-Identifier: Apache-2.0
// A loss function, and what is wrong with what it records.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_CHECKED_LOSS_H_
#define ACLGRAD_AUTOGRAD_TRAIN_CHECKED_LOSS_H_

#include "aclgrad/loss_function.h"
#include "aclgrad/module.h"
#include "train/recorded_loss.h"

namespace aclgrad::detail {

/// Throws ValueError where the function returns an empty Value or one of another graph, and for a
/// gradient for a variable that is no part of the model, nor frozen; ShapeError where the loss is
/// not one number.
LossRecorder checked(LossFunction loss, const Module& model);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_CHECKED_LOSS_H_
