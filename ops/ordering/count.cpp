// SPDX-License-Identifier: Apache-2.0
// aclnnBincount, aclnnHistc.
#include <fmt/format.h>

#include <cmath>

#include "aclnnop/aclnn_bincount.h"
#include "aclnnop/aclnn_histc.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/ordering/count_kernel.h"

namespace aclgrad::ops::count {
namespace {

Rule has_one_dimension(size_t tensor) {
  return if_given(tensor, require([=](const Arguments& arguments) -> std::optional<std::string> {
                    if (arguments.shape(tensor).size() == 1) return std::nullopt;
                    return fmt::format("tensor {} must have 1 dimension, but is {}.",
                                       arguments.name(tensor), to_string(arguments.shape(tensor)));
                  }));
}

namespace numbers {

enum : size_t { kSelf, kWeights, kMinLength, kOut };

constexpr DtypeSet kWhole{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};

bool is_weighted(const Arguments& arguments) { return arguments.given(kWeights); }
bool is_count(const Arguments& arguments) { return !is_weighted(arguments); }

Rule out_holds_sums() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType of = arguments.dtype(kWeights), out = arguments.dtype(kOut);
    const aclDataType expected = of == ACL_FLOAT ? ACL_FLOAT : ACL_DOUBLE;
    if (out == expected) return std::nullopt;
    return fmt::format("tensor {} has dtype {}, expected {} beside {} of dtype {}.",
                       arguments.name(kOut), dtype_name(out), dtype_name(expected),
                       arguments.name(kWeights), dtype_name(of));
  });
}

const OperatorSpec kSpec{
    "aclnnBincount",
    {input("self"), input("weights"), attribute("minlength"), output("out")},
    Rules{not_null({kSelf, kOut}), live_if_given(kWeights), dtype_in(kSelf, kWhole),
          dtype_in(kWeights, kRealNumbersAndBool), no_private_format(kWeights),
          when(is_count, dtype_in(kOut, {ACL_INT64, ACL_INT32})), has_one_dimension(kSelf),
          same_shape(kWeights, kSelf), has_one_dimension(kOut), when(is_weighted, out_holds_sums()),
          integer_between(kMinLength, 0, std::numeric_limits<int64_t>::max())}};

Plan plan(const Arguments& arguments) {
  std::optional<size_t> weights;
  if (is_weighted(arguments)) weights = kWeights;
  return plan_bincount(arguments, kSelf, weights, kOut);
}

}  // namespace numbers

namespace intervals {

enum : size_t { kSelf, kBins, kMin, kMax, kOut };

const OperatorSpec kSpec{
    "aclnnHistc",
    {input("self"), attribute("bins"), attribute("min"), attribute("max"), output("out")},
    Rules{not_null({kSelf, kMin, kMax, kOut}), dtype_in(kSelf, kRealNumbers),
          same_dtype(kOut, kSelf), scalar_castable_to_float(kMin), scalar_castable_to_float(kMax),
          max_rank(kSelf), integer_between(kBins, 1, std::numeric_limits<int64_t>::max()),
          [](const Arguments& arguments) {
            return has_shape(kOut, {arguments.integer(kBins)})(arguments);
          },
          require([](const Arguments& arguments) -> std::optional<std::string> {
            const double low = arguments.scalar(kMin).to_double();
            const double high = arguments.scalar(kMax).to_double();
            if (std::isfinite(low) && std::isfinite(high) && low <= high) return std::nullopt;
            return fmt::format(
                "{} must be finite and at most {}, finite too, but they are {} and {}.",
                arguments.name(kMin), arguments.name(kMax), low, high);
          })}};

Plan plan(const Arguments& arguments) {
  return plan_histogram(arguments, kSelf, arguments.scalar(kMin).to_double(),
                        arguments.scalar(kMax).to_double(), kOut);
}

}  // namespace intervals
}  // namespace

ACLGRAD_OPERATOR(aclnnBincount, numbers::kSpec, numbers::plan)
ACLGRAD_OPERATOR(aclnnHistc, intervals::kSpec, intervals::plan)

}  // namespace aclgrad::ops::count
