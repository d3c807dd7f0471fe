// SPDX-License-Identifier: Apache-2.0
// Masks of dropout: one bit an element, least significant first, 1 to keep it; drawn in whole
// multiples of 128.
#pragma once

#include "ops/random/random_kernel.h"

namespace aclgrad::ops {

// Bytes of the mask of so many elements.
constexpr int64_t mask_bytes(int64_t elements) { return (elements + 127) / 128 * 16; }

// out, UINT8: element i is kept if u < 1 - probability. u is made of word i mod 4 of Philox block
// number i / 4 of the stream.
Plan plan_dropout_mask(const Arguments& arguments, size_t out, double probability,
                       const RandomStream& stream);

// out = self / kept where the mask says so, 0 elsewhere, rounded to self's dtype first. The mask
// has enough bits.
Plan plan_dropout(const Arguments& arguments, size_t self, size_t mask, size_t out, double kept);

}  // namespace aclgrad::ops
