// SPDX-License-Identifier: Apache-2.0
// Makes a description that fails as small as it can be.
#pragma once

#include <functional>

#include "tests/training/models/spec.h"

namespace aclgrad::training {

/// Leaves out whatever can be left out (layers, options, batches) and makes numbers small, as long
/// as `fails` is true of it; at most so many tries.
Spec shrink(const Spec& spec, const std::function<bool(const Spec&)>& fails, int tries = 150);

}  // namespace aclgrad::training
