// SPDX-License-Identifier: Apache-2.0
// aclnnAmax, aclnnAmin, aclnnAminmax, aclnnMax, aclnnMin, aclnnMaxDim, aclnnMinDim, aclnnArgMax,
// aclnnArgMin.
#include "aclnnop/aclnn_amax.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_aminmax.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_min.h"
#include "aclnnop/aclnn_min_dim.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/extremum_kernel.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::amax {
namespace {

enum : size_t { kSelf, kDims, kKeepDim, kOut, kIndices, kLeast = kOut, kMost = kIndices };

constexpr DtypeSet kMaxDimDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_INT64, ACL_INT32, ACL_BOOL},
                                 {ACL_BF16}};

bool names_dims(const Arguments& arguments) { return !arguments.int_array(kDims).empty(); }

OperatorSpec reduction(const char* name) {
  return {name,
          {input("self"), attribute("dim"), attribute("keepDim"), output("out")},
          Rules{not_null({kSelf, kDims, kOut}), same_dtype(kOut, kSelf),
                dtype_in(kSelf, kRealNumbersAndBool), dims_in_range(), dims_are_distinct(),
                when(names_dims, dims_have_elements()), max_rank({kSelf, kOut}),
                has_reduced_shape(kOut)}};
}

const OperatorSpec kAmax = reduction("aclnnAmax");
const OperatorSpec kAmin = reduction("aclnnAmin");

const OperatorSpec kAminmax{
    "aclnnAminmax",
    {input("self"), attribute("dim"), attribute("keepdim"), output("min"), output("max")},
    Rules{not_null({kSelf, kDims, kLeast, kMost}), dtype_in(kSelf, kRealNumbersAndBool),
          same_dtype({kLeast, kMost}, kSelf), dims_in_range(), dims_are_distinct(),
          dims_have_elements(), max_rank({kSelf, kLeast, kMost}), has_reduced_shape(kLeast),
          has_reduced_shape(kMost)}};

// ---- Of all elements ----------------------------------------------------------------------------

constexpr size_t kWhole = 1;  // out

OperatorSpec of_all(const char* name) {
  return {name,
          {input("self"), output("out")},
          Rules{not_null({kSelf, kWhole}), dtype_in(kSelf, kRealNumbersAndBool),
                same_dtype(kWhole, kSelf), max_rank({kSelf, kWhole}),
                require([](const Arguments& arguments) -> std::optional<std::string> {
                  if (!arguments.empty(kSelf)) return std::nullopt;
                  return fmt::format("tensor {} must have an element, but is {}.",
                                     arguments.name(kSelf), to_string(arguments.shape(kSelf)));
                }),
                has_one_element(kWhole)}};
}

const OperatorSpec kMax = of_all("aclnnMax");
const OperatorSpec kMin = of_all("aclnnMin");

// ---- Along a dimension --------------------------------------------------------------------------

OperatorSpec along(const char* name, const DtypeSet& dtypes, const Rules& on_size) {
  return {name,
          {input("self"), attribute("dim"), attribute("keepdim"), output("out"), output("indices")},
          Rules{not_null({kSelf, kOut, kIndices}), dtype_in(kSelf, dtypes), same_dtype(kOut, kSelf),
                takes_indices(kIndices), max_rank({kSelf, kOut, kIndices}), axis_of(kDims, kSelf),
                on_size, has_reduced_shape(kOut), has_reduced_shape(kIndices)}};
}

const OperatorSpec kMaxDim = along("aclnnMaxDim", kMaxDimDtypes, {});
const OperatorSpec kMinDim = along("aclnnMinDim", kRealNumbersAndBool, dims_have_elements());

OperatorSpec places(const char* name, const Rules& on_size) {
  return {name,
          {input("self"), attribute("dim"), attribute("keepdim"), output("out")},
          Rules{not_null({kSelf, kOut}), dtype_in(kSelf, kRealNumbers), takes_indices(kOut),
                max_rank({kSelf, kOut}), axis_of(kDims, kSelf), on_size, has_reduced_shape(kOut)}};
}

const OperatorSpec kArgMax = places("aclnnArgMax", {});
const OperatorSpec kArgMin = places("aclnnArgMin", dims_have_elements());

// ---- Plans --------------------------------------------------------------------------------------

Plan plan_values(const Arguments& arguments, bool largest, size_t out = kOut) {
  return plan_extremum(
      arguments,
      {.input = kSelf, .reduced = reduced_dims(arguments), .largest = largest, .values = out});
}

template <bool kLargest>
Plan plan_of_all(const Arguments& arguments) {
  return plan_extremum(
      arguments,
      {.input = kSelf, .reduced = dimensions(0, kMaxRank), .largest = kLargest, .values = kWhole});
}

template <bool kLargest>
Plan plan_along(const Arguments& arguments) {
  return plan_extremum(arguments, {.input = kSelf,
                                   .reduced = reduced_dims(arguments),
                                   .largest = kLargest,
                                   .values = kOut,
                                   .indices = kIndices});
}

template <bool kLargest>
Plan plan_places(const Arguments& arguments) {
  return plan_extremum(
      arguments,
      {.input = kSelf, .reduced = reduced_dims(arguments), .largest = kLargest, .indices = kOut});
}

// One after the other, in the same workspace.
Plan plan_both(const Arguments& arguments) {
  Plan least = plan_values(arguments, false, kLeast);
  Plan most = plan_values(arguments, true, kMost);
  if (!least.body) return {};
  return {[first = std::move(least.body), then = std::move(most.body)](const Run& run) {
            const aclError error = first(run);
            return error == ACL_SUCCESS ? then(run) : error;
          },
          std::max(least.workspace_size, most.workspace_size)};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnAmax, kAmax,
                 [](const Arguments& arguments) { return plan_values(arguments, true); })
ACLGRAD_OPERATOR(aclnnAmin, kAmin,
                 [](const Arguments& arguments) { return plan_values(arguments, false); })
ACLGRAD_OPERATOR(aclnnAminmax, kAminmax, plan_both)
ACLGRAD_OPERATOR(aclnnMax, kMax, plan_of_all<true>)
ACLGRAD_OPERATOR(aclnnMin, kMin, plan_of_all<false>)
ACLGRAD_OPERATOR(aclnnMaxDim, kMaxDim, plan_along<true>)
ACLGRAD_OPERATOR(aclnnMinDim, kMinDim, plan_along<false>)
ACLGRAD_OPERATOR(aclnnArgMax, kArgMax, plan_places<true>)
ACLGRAD_OPERATOR(aclnnArgMin, kArgMin, plan_places<false>)

}  // namespace aclgrad::ops::amax
