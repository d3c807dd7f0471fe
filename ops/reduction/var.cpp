// SPDX-License-Identifier: Apache-2.0
// aclnnVar, aclnnVarCorrection, aclnnVarMean, aclnnStd, aclnnStdMeanCorrection.
#include "aclnnop/aclnn_var.h"

#include <cmath>
#include <limits>

#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_var_mean.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/reduction/variance_kernel.h"

namespace aclgrad::ops::var {
namespace {

// aclnnVar has a flag, unbiased, as its correction.
enum : size_t { kSelf, kDims, kCorrection, kKeepDim, kOut, kMeanOut };
constexpr ReductionAttributes kAttributes{.dims = kDims, .keep_dims = kKeepDim};

Rules rules(const std::vector<size_t>& outputs) {
  return {not_null({kSelf}),
          of_each(outputs, [](size_t out) { return not_null({out}); }),
          live_if_given(kDims),
          dtype_in(kSelf, kFloats),
          dtype_in(outputs, kFloats),
          dims_in_range(kAttributes),
          dims_are_distinct(kAttributes),
          max_rank(kSelf),
          of_each(outputs, [](size_t out) { return has_reduced_shape(out, kAttributes); })};
}

OperatorSpec variance(const char* name, const char* correction) {
  return {
      name,
      {input("self"), attribute("dim"), attribute(correction), attribute("keepdim"), output("out")},
      rules({kOut})};
}

const OperatorSpec kVar = variance("aclnnVar", "unbiased");
const OperatorSpec kVarCorrection = variance("aclnnVarCorrection", "correction");
const OperatorSpec kStd = variance("aclnnStd", "correction");

OperatorSpec with_mean(const char* name, const char* out) {
  return {name,
          {input("self"), attribute("dim"), attribute("correction"), attribute("keepdim"),
           output(out), output("meanOut")},
          rules({kOut, kMeanOut})};
}

const OperatorSpec kVarMean = with_mean("aclnnVarMean", "varOut");
const OperatorSpec kStdMeanCorrection = with_mean("aclnnStdMeanCorrection", "stdOut");

double quotient(double squares, int64_t count, int64_t correction) {
  return squares / (static_cast<double>(count) - static_cast<double>(correction));
}

enum class Moment { kVariance, kDeviation };

Plan plan_corrected(const Arguments& arguments, Moment moment, std::optional<size_t> mean) {
  const int64_t correction = arguments.integer(kCorrection);
  const auto divide = [correction, moment](double squares, int64_t count) {
    if (count > correction) {
      const double variance = quotient(squares, count, correction);
      return moment == Moment::kVariance ? variance : std::sqrt(variance);
    }
    return count == 1 ? std::numeric_limits<double>::quiet_NaN()
                      : std::numeric_limits<double>::infinity();
  };
  return plan_variance(arguments, {.input = kSelf,
                                   .reduced = reduced_dims(arguments, kAttributes),
                                   .variance = kOut,
                                   .mean = mean,
                                   .divide = divide});
}

}  // namespace

ACLGRAD_OPERATOR(aclnnVar, kVar, [](const Arguments& arguments) {
  const int64_t correction = arguments.flag(kCorrection) ? 1 : 0;
  return plan_variance(arguments, {.input = kSelf,
                                   .reduced = reduced_dims(arguments, kAttributes),
                                   .variance = kOut,
                                   .divide = [correction](double squares, int64_t count) {
                                     return quotient(squares, count, correction);
                                   }});
})
ACLGRAD_OPERATOR(aclnnVarCorrection, kVarCorrection, [](const Arguments& arguments) {
  return plan_corrected(arguments, Moment::kVariance, std::nullopt);
})
ACLGRAD_OPERATOR(aclnnVarMean, kVarMean, [](const Arguments& arguments) {
  return plan_corrected(arguments, Moment::kVariance, kMeanOut);
})
ACLGRAD_OPERATOR(aclnnStd, kStd, [](const Arguments& arguments) {
  return plan_corrected(arguments, Moment::kDeviation, std::nullopt);
})
ACLGRAD_OPERATOR(aclnnStdMeanCorrection, kStdMeanCorrection, [](const Arguments& arguments) {
  return plan_corrected(arguments, Moment::kDeviation, kMeanOut);
})

}  // namespace aclgrad::ops::var
