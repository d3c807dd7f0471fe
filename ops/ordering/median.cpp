// SPDX-License-Identifier: Apache-2.0
// aclnnMedian, aclnnMedianDim, aclnnNanMedian, aclnnNanMedianDim, aclnnKthvalue.
#include "aclnnop/aclnn_median.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_kthvalue.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/dtypes.h"
#include "ops/meta/rules.h"
#include "ops/ordering/order_kernel.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::median {
namespace {

// Of an even number the lower of the two in the middle.
int64_t middle(int64_t count) { return count == 0 ? 0 : (count - 1) / 2; }

// The first NaN, if there is one.
int64_t place_of_median(int64_t count, int64_t nans) {
  return nans > 0 ? count - nans : middle(count);
}

int64_t place_of_nanmedian(int64_t count, int64_t nans) { return middle(count - nans); }

using Place = int64_t (*)(int64_t count, int64_t nans);

// ---- Of all elements ----------------------------------------------------------------------------

namespace whole {

enum : size_t { kSelf, kOut };

OperatorSpec spec(const char* name) {
  return {name,
          {input("self"), output("out")},
          Rules{not_null({kSelf, kOut}), dtype_in(kSelf, kRealNumbers), same_dtype(kOut, kSelf),
                max_rank({kSelf, kOut}),
                require([](const Arguments& arguments) -> std::optional<std::string> {
                  const aclDataType dtype = arguments.dtype(kSelf);
                  if (!arguments.empty(kSelf) || is_floating(dtype)) return std::nullopt;
                  return fmt::format(
                      "tensor {} of dtype {} must have an element, but is {}: there is no NaN for "
                      "the median of none.",
                      arguments.name(kSelf), dtype_name(dtype), to_string(arguments.shape(kSelf)));
                }),
                has_one_element(kOut)}};
}

const OperatorSpec kMedian = spec("aclnnMedian");
const OperatorSpec kNanMedian = spec("aclnnNanMedian");

template <Place kPlace>
Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) {
    return plan_fill(arguments, {kOut}, std::numeric_limits<double>::quiet_NaN());
  }
  return plan_choice(arguments, {.self = kSelf,
                                 .axis = std::nullopt,
                                 .place = kPlace,
                                 .first_of_equals = true,
                                 .values = kOut,
                                 .indices = std::nullopt});
}

}  // namespace whole

// ---- Along a dimension --------------------------------------------------------------------------

constexpr DtypeSet kPlaces{ACL_INT64, ACL_INT32};

namespace along {

enum : size_t { kSelf, kDim, kKeepDim, kValues, kIndices };
constexpr ReductionAttributes kReduced{kDim, kKeepDim};

OperatorSpec spec(const char* name) {
  return {
      name,
      {input("self"), attribute("dim"), attribute("keepdim"), output("values"), output("indices")},
      Rules{not_null({kSelf, kValues, kIndices}), dtype_in(kSelf, kRealNumbers),
            same_dtype(kValues, kSelf), dtype_in(kIndices, kPlaces),
            max_rank({kSelf, kValues, kIndices}), axis_of(kDim, kSelf),
            dims_have_elements(kReduced), has_reduced_shape(kValues, kReduced),
            has_reduced_shape(kIndices, kReduced)}};
}

const OperatorSpec kMedianDim = spec("aclnnMedianDim");
const OperatorSpec kNanMedianDim = spec("aclnnNanMedianDim");

template <Place kPlace>
Plan plan(const Arguments& arguments) {
  return plan_choice(
      arguments, {.self = kSelf,
                  .axis = normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size()),
                  .place = kPlace,
                  .first_of_equals = true,
                  .values = kValues,
                  .indices = kIndices});
}

}  // namespace along

// ---- By its place -------------------------------------------------------------------------------

namespace kth {

enum : size_t { kSelf, kK, kDim, kKeepDim, kValues, kIndices };
constexpr ReductionAttributes kReduced{kDim, kKeepDim};

size_t axis(const Arguments& arguments) {
  return normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
}

const OperatorSpec kSpec{
    "aclnnKthvalue",
    {input("self"), attribute("k"), attribute("dim"), attribute("keepdim"), output("values"),
     output("indices")},
    Rules{not_null({kSelf, kValues, kIndices}), dtype_in(kSelf, kRealNumbers),
          same_dtype(kValues, kSelf), dtype_in(kIndices, kPlaces),
          max_rank({kSelf, kValues, kIndices}), axis_of(kDim, kSelf), dims_have_elements(kReduced),
          require([](const Arguments& arguments) -> std::optional<std::string> {
            const Dims& shape = arguments.shape(kSelf);
            const int64_t size = shape.empty() ? 1 : shape[axis(arguments)];
            const int64_t k = arguments.integer(kK);
            if (k >= 1 && k <= size) return std::nullopt;
            return fmt::format(
                "k must be within [1, {}], the size of dimension {} of tensor {} {}, but is {}.",
                size, axis(arguments), arguments.name(kSelf), to_string(shape), k);
          }),
          has_reduced_shape(kValues, kReduced), has_reduced_shape(kIndices, kReduced)}};

Plan plan(const Arguments& arguments) {
  return plan_choice(arguments,
                     {.self = kSelf,
                      .axis = axis(arguments),
                      .place = [k = arguments.integer(kK)](int64_t, int64_t) { return k - 1; },
                      .first_of_equals = false,
                      .values = kValues,
                      .indices = kIndices});
}

}  // namespace kth
}  // namespace

ACLGRAD_OPERATOR(aclnnMedian, whole::kMedian, whole::plan<place_of_median>)
ACLGRAD_OPERATOR(aclnnNanMedian, whole::kNanMedian, whole::plan<place_of_nanmedian>)
ACLGRAD_OPERATOR(aclnnMedianDim, along::kMedianDim, along::plan<place_of_median>)
ACLGRAD_OPERATOR(aclnnNanMedianDim, along::kNanMedianDim, along::plan<place_of_nanmedian>)
ACLGRAD_OPERATOR(aclnnKthvalue, kth::kSpec, kth::plan)

}  // namespace aclgrad::ops::median
