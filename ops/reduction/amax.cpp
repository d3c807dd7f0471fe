// SPDX-License-Identifier: Apache-2.0
// aclnnAmax, aclnnAmin, aclnnMaxDim, aclnnArgMax.
#include "aclnnop/aclnn_amax.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_max_dim.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/extremum_kernel.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::amax {
namespace {

enum : size_t { kSelf, kDims, kKeepDim, kOut, kIndices };

constexpr DtypeSet kMaxDimDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_INT64, ACL_INT32, ACL_BOOL},
                                 {ACL_BF16}};

Rule dims_have_elements() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(kSelf);
    for (const int64_t dim : arguments.int_array(kDims)) {
      const size_t axis = normalize_axis(dim, shape.size());
      if (shape.empty() || shape[axis] != 0) continue;
      return fmt::format("{} names dimension {} of tensor {} {}, which must not have size 0.",
                         arguments.name(kDims), axis, arguments.name(kSelf), to_string(shape));
    }
    return std::nullopt;
  });
}

Rule takes_indices(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (can_cast(ACL_INT64, arguments.dtype(tensor))) return std::nullopt;
    return fmt::format("an index cannot be cast to {}, the dtype of {}; expected an integer dtype.",
                       dtype_name(arguments.dtype(tensor)), arguments.name(tensor));
  });
}

OperatorSpec reduction(const char* name) {
  return {name,
          {input("self"), attribute("dim"), attribute("keepDim"), output("out")},
          Rules{not_null({kSelf, kDims, kOut}), same_dtype(kOut, kSelf),
                dtype_in(kSelf, kRealNumbersAndBool), dims_in_range(), dims_are_distinct(),
                dims_have_elements(), max_rank({kSelf, kOut}), has_reduced_shape(kOut)}};
}

const OperatorSpec kAmax = reduction("aclnnAmax");
const OperatorSpec kAmin = reduction("aclnnAmin");

const OperatorSpec kMaxDim{
    "aclnnMaxDim",
    {input("self"), attribute("dim"), attribute("keepdim"), output("out"), output("indices")},
    Rules{not_null({kSelf, kOut, kIndices}), dtype_in(kSelf, kMaxDimDtypes),
          same_dtype(kOut, kSelf), takes_indices(kIndices), max_rank({kSelf, kOut, kIndices}),
          axis_of(kDims, kSelf), has_reduced_shape(kOut), has_reduced_shape(kIndices)}};

const OperatorSpec kArgMax{
    "aclnnArgMax",
    {input("self"), attribute("dim"), attribute("keepdim"), output("out")},
    Rules{not_null({kSelf, kOut}), dtype_in(kSelf, kRealNumbers), takes_indices(kOut),
          max_rank({kSelf, kOut}), axis_of(kDims, kSelf), has_reduced_shape(kOut)}};

Plan plan_values(const Arguments& arguments, bool largest) {
  return plan_extremum(
      arguments,
      {.input = kSelf, .reduced = reduced_dims(arguments), .largest = largest, .values = kOut});
}

}  // namespace

ACLGRAD_OPERATOR(aclnnAmax, kAmax,
                 [](const Arguments& arguments) { return plan_values(arguments, true); })
ACLGRAD_OPERATOR(aclnnAmin, kAmin,
                 [](const Arguments& arguments) { return plan_values(arguments, false); })
ACLGRAD_OPERATOR(aclnnMaxDim, kMaxDim, [](const Arguments& arguments) {
  return plan_extremum(
      arguments,
      {.input = kSelf, .reduced = reduced_dims(arguments), .values = kOut, .indices = kIndices});
})
ACLGRAD_OPERATOR(aclnnArgMax, kArgMax, [](const Arguments& arguments) {
  return plan_extremum(arguments,
                       {.input = kSelf, .reduced = reduced_dims(arguments), .indices = kOut});
})

}  // namespace aclgrad::ops::amax
