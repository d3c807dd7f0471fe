// SPDX-License-Identifier: Apache-2.0
// What reductions over dimensions share: checks of the dimensions and of the dtype attribute. Their
// input is parameter 0.
#pragma once

#include "ops/meta/operator.h"
#include "ops/meta/rules.h"
#include "ops/reduction/reduce_kernel.h"

namespace aclgrad::ops {

// Parameters of aclnnReduceSum and aclnnMean; aclnnMeanV2 has another attribute for the dtype.
struct ReductionParameters {
  enum : size_t { kSelf, kDims, kKeepDims, kDtype, kOut };
};

// Which parameters say what is reduced: an array of dimensions, where null or an empty one means
// all of them, or a single dimension.
struct ReductionAttributes {
  size_t dims = ReductionParameters::kDims;
  size_t keep_dims = ReductionParameters::kKeepDims;
};

// Per dimension of self.
std::array<bool, kMaxRank> reduced_dims(const Arguments& arguments,
                                        ReductionAttributes attributes = {});

// Every entry lies within [-n, n-1], n the rank of self (1 for a 0-d tensor).
Rule dims_in_range(ReductionAttributes attributes = {});
// No dimension is named twice, counted from either end.
Rule dims_are_distinct(ReductionAttributes attributes = {});
// None of those that are reduced has size 0.
Rule dims_have_elements(ReductionAttributes attributes = {});
// out has the size of self with the dimensions reduced, or both have one element.
Rule out_is_reduced(size_t out = ReductionParameters::kOut);
// The dtype that an attribute names.
Rule out_has_dtype(size_t out, size_t attribute);
// Places of elements convert to the tensor's dtype.
Rule takes_indices(size_t tensor);
// The tensor has the size of self with the dimensions reduced.
Rule has_reduced_shape(size_t tensor, ReductionAttributes attributes = {});

// `dtype`: what elements are converted to, and the result is rounded to.
Plan plan_reduction(const Arguments& arguments, aclDataType dtype, Reduction reduction);

}  // namespace aclgrad::ops
