// SPDX-License-Identifier: Apache-2.0
// The callbacks of fit()'s own options, which look at a run and change nothing in it: the log and
// the progress bar. Only the first rank has any.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_FIT_CALLBACKS_H_
#define ACLGRAD_AUTOGRAD_TRAIN_FIT_CALLBACKS_H_

#include <string>
#include <vector>

#include "aclgrad/fit.h"

namespace aclgrad::detail {

/// Those that the options ask for; they refer to the options.
std::vector<Callback> own_callbacks(const FitOptions& options, const std::string& data_order);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_FIT_CALLBACKS_H_
