// SPDX-License-Identifier: Apache-2.0
// What operators on the last one to three dimensions of a tensor check. Rules that fail say 161002.
#pragma once

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops {

// So many spatial dimensions behind channels, and, where that is free, behind a batch: the channels
// and the spatial ones have elements, a batch may have none. The format is ND or that of a rank.
Rule is_spatial(size_t tensor, size_t axes, bool has_batch = false);

// An array of so many numbers.
Rule has_numbers(size_t array, size_t count);

// The sizes of the last dimensions.
std::vector<int64_t> spatial_sizes(const Arguments& arguments, size_t tensor, size_t axes);
// A shape with others in their place.
Dims with_spatial(const Dims& shape, const std::vector<int64_t>& sizes);

}  // namespace aclgrad::ops
