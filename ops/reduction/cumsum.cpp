// SPDX-License-Identifier: Apache-2.0
// aclnnCumsum, aclnnCumsumV2, aclnnCumprod.
#include "aclnnop/aclnn_cumsum.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_cumprod.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/reduction/cumsum_kernel.h"

namespace aclgrad::ops::cumsum {
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

OperatorSpec spec(const char* name, std::initializer_list<size_t> handles, Rule dim) {
  return {name,
          {input("self"), attribute("dim"), attribute("dtype"), output("out")},
          {not_null(handles), dtype_in(kOut, kNumbers), out_has_dtype(kOut),
           can_cast_tensor(kSelf, kOut), same_shape(kOut, kSelf), max_rank(kSelf), std::move(dim)}};
}

// A dimension that a scalar names.
Rule is_axis(size_t scalar) {
  return [=](const Arguments& arguments) -> CheckResult {
    const CheckResult is_real = scalar_castable_to_float(scalar)(arguments);
    if (is_real.status != OK) return is_real;
    const auto n = static_cast<int64_t>(std::max<size_t>(arguments.shape(kSelf).size(), 1));
    const int64_t dim = arguments.scalar(scalar).to_int64();
    if (dim >= -n && dim < n) return {};
    return require([&](const Arguments&) -> std::optional<std::string> {
      return fmt::format("{} must be within [{}, {}] for tensor {} of size {}, but is {}.",
                         arguments.name(scalar), -n, n - 1, arguments.name(kSelf),
                         to_string(arguments.shape(kSelf)), dim);
    })(arguments);
  };
}

const OperatorSpec kSpec = spec("aclnnCumsum", {kSelf, kOut}, axis_of(kDim, kSelf));
const OperatorSpec kProduct = spec("aclnnCumprod", {kSelf, kDim, kOut}, is_axis(kDim));

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

ACLGRAD_OPERATOR(aclnnCumsum, with_dtype::kSpec, [](const Arguments& arguments) {
  return plan_cumsum(arguments, kSelf, with_dtype::kOut, axis(arguments), {});
})
ACLGRAD_OPERATOR(aclnnCumprod, with_dtype::kProduct, [](const Arguments& arguments) {
  const int64_t dim = arguments.scalar(kDim).to_int64();
  return plan_cumprod(arguments, kSelf, with_dtype::kOut,
                      normalize_axis(dim, arguments.shape(kSelf).size()));
})
ACLGRAD_OPERATOR(aclnnCumsumV2, v2::kSpec, [](const Arguments& arguments) {
  return plan_cumsum(
      arguments, kSelf, v2::kOut, axis(arguments),
      {.exclusive = arguments.flag(v2::kExclusive), .reverse = arguments.flag(v2::kReverse)});
})

}  // namespace aclgrad::ops::cumsum
