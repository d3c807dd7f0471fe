// SPDX-License-Identifier: Apache-2.0
// What operators with numbers of elements share. Numbers are argument indices; rules that fail say
// 161002.
#pragma once

#include "ops/meta/rules.h"

namespace aclgrad::ops {

inline constexpr DtypeSet kIndexDtypes{ACL_INT32, ACL_INT64};

// A self without dimensions has one element, for one index.
Rule one_index_for_a_scalar(size_t index, size_t self);
// As many dimensions; none counts as one.
Rule index_has_rank_of(size_t index, size_t self);
// The index is no larger than the tensor, but along the dimension that `dim` says for self.
Rule index_is_within(size_t index, size_t tensor, std::optional<size_t> dim = std::nullopt);
// Numbers of what has no elements are out of range, whatever they are: `elements`, what is taken or
// put, then has none.
Rule has_elements_to_index(size_t self, size_t elements);

}  // namespace aclgrad::ops
