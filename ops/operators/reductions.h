// SPDX-License-Identifier: Apache-2.0
// What reductions over dimensions share: checks of the dimensions and of the dtype attribute.
#ifndef ACLGRAD_OPS_OPERATORS_REDUCTIONS_H_
#define ACLGRAD_OPS_OPERATORS_REDUCTIONS_H_

#include "ops/kernels/reduce.h"
#include "ops/meta/operator.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {

// Parameters of aclnnReduceSum and aclnnMean; aclnnMeanV2 has another attribute for the dtype.
struct ReductionParameters {
  static constexpr size_t kSelf = 0;
  static constexpr size_t kDims = 1;
  static constexpr size_t kKeepDims = 2;
  static constexpr size_t kDtype = 3;
  static constexpr size_t kOut = 4;
};

// A dtype given as an attribute.
Rule attribute_dtype_in(size_t attribute, const DtypeSet& set);

// Every entry lies within [-n, n-1], n the rank of self (1 for a 0-d tensor).
Rule dims_in_range();
// No dimension is named twice, counted from either end.
Rule dims_are_distinct();
// out has the size of self with the dimensions reduced, or both have one element.
Rule out_is_reduced();

// `dtype`: what elements are converted to, and the result is rounded to.
Plan plan_reduction(const Arguments& arguments, aclDataType dtype, Reduction reduction);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_OPERATORS_REDUCTIONS_H_
