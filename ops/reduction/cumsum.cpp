// SPDX-License-Identifier: Apache-2.0
// aclnnCumsum, aclnnCumsumV2.
#include "aclnnop/aclnn_cumsum.h"

#include <fmt/format.h>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/reduction/cumsum_kernel.h"

namespace aclgrad::ops {
namespace {

enum : size_t { kSelf, kDim, kDtype };

Rule out_has_dtype(size_t out) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const auto dtype = static_cast<aclDataType>(arguments.integer(kDtype));
    if (arguments.dtype(out) == dtype) return std::nullopt;
    return fmt::format("tensor {} expected dtype {}, but found {}.", arguments.name(out),
                       dtype_name(dtype), dtype_name(arguments.dtype(out)));
  });
}

namespace with_dtype {

enum : size_t { kOut = 3 };

const OperatorSpec kSpec{
    "aclnnCumsum",
    {input("self"), attribute("dim"), attribute("dtype"), output("out")},
    {not_null({kSelf, kOut}), dtype_in(kOut, kNumbers), out_has_dtype(kOut),
     can_cast_tensor(kSelf, kOut), same_shape(kOut, kSelf), max_rank(kSelf), axis_of(kDim, kSelf)}};

}  // namespace with_dtype

namespace v2 {

enum : size_t { kExclusive = 2, kReverse, kOut };

const OperatorSpec kSpec{
    "aclnnCumsumV2",
    {input("self"), attribute("dim"), attribute("exclusive"), attribute("reverse"), output("out")},
    {not_null({kSelf, kOut}), dtype_in(kOut, kNumbers), same_dtype(kSelf, kOut),
     same_shape(kOut, kSelf), max_rank(kSelf), axis_of(kDim, kSelf)}};

}  // namespace v2

size_t axis(const Arguments& arguments) {
  return normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnCumsum, with_dtype::kSpec, [](const Arguments& arguments) {
  return plan_cumsum(arguments, kSelf, with_dtype::kOut, axis(arguments), {});
})
ACLGRAD_OPERATOR(aclnnCumsumV2, v2::kSpec, [](const Arguments& arguments) {
  return plan_cumsum(
      arguments, kSelf, v2::kOut, axis(arguments),
      {.exclusive = arguments.flag(v2::kExclusive), .reverse = arguments.flag(v2::kReverse)});
})
