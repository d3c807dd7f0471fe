// SPDX-License-Identifier: Apache-2.0
// aclnnTopk.
#include "aclnnop/aclnn_topk.h"

#include <fmt/format.h>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/reduction/topk_kernel.h"

namespace aclgrad::ops::topk {
namespace {

enum : size_t { kSelf, kK, kDim, kLargest, kSorted, kValues, kIndices };

size_t axis(const Arguments& arguments) {
  return normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
}

Rule k_fits() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(kSelf);
    const int64_t size = shape.empty() ? 1 : shape[axis(arguments)];
    const int64_t k = arguments.integer(kK);
    if (k >= 0 && k <= size) return std::nullopt;
    return fmt::format(
        "k must be within [0, {}], the size of dimension {} of tensor {} {}, but is {}.", size,
        axis(arguments), arguments.name(kSelf), to_string(shape), k);
  });
}

Rule has_k_elements(size_t tensor) {
  return [=](const Arguments& arguments) {
    Dims shape = arguments.shape(kSelf);
    if (!shape.empty()) shape[axis(arguments)] = arguments.integer(kK);
    return has_shape(tensor, shape)(arguments);
  };
}

const OperatorSpec kSpec{
    "aclnnTopk",
    {input("self"), attribute("k"), attribute("dim"), attribute("largest"), attribute("sorted"),
     output("valuesOut"), output("indicesOut")},
    Rules{not_null({kSelf, kValues, kIndices}), axis_of(kDim, kSelf), k_fits(),
          dtype_in(kSelf, kRealNumbers), same_dtype(kValues, kSelf),
          dtype_in(kIndices, {ACL_INT64}), max_rank({kSelf, kValues, kIndices}),
          has_k_elements(kValues), has_k_elements(kIndices)}};

}  // namespace

ACLGRAD_OPERATOR(aclnnTopk, kSpec, [](const Arguments& arguments) {
  // 0-d tensors have one element, whatever k is.
  if (arguments.integer(kK) == 0) return Plan{};
  return plan_topk(arguments, kSelf, axis(arguments), arguments.flag(kLargest), kValues, kIndices);
})

}  // namespace aclgrad::ops::topk
