// SPDX-License-Identifier: Apache-2.0
// aclnnVar, aclnnVarCorrection, aclnnVarMean.
#include "aclnnop/aclnn_var.h"

#include <limits>

#include "aclnnop/aclnn_var_mean.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/reduction/variance_kernel.h"

namespace aclgrad::ops {
namespace {

// aclnnVar has a flag, unbiased, as its correction.
enum : size_t { kSelf, kDims, kCorrection, kKeepDim, kOut, kMeanOut };
constexpr ReductionAttributes kAttributes{.dims = kDims, .keep_dims = kKeepDim};

std::vector<Rule> rules(std::initializer_list<size_t> outputs) {
  std::vector<Rule> list = {not_null({kSelf})};
  for (const size_t out : outputs) list.push_back(not_null({out}));
  list.push_back(live_if_given(kDims));
  list.push_back(dtype_in(kSelf, kFloats));
  for (const size_t out : outputs) list.push_back(dtype_in(out, kFloats));
  list.push_back(dims_in_range(kAttributes));
  list.push_back(dims_are_distinct(kAttributes));
  list.push_back(max_rank(kSelf));
  for (const size_t out : outputs) list.push_back(has_reduced_shape(out, kAttributes));
  return list;
}

OperatorSpec variance(const char* name, const char* correction) {
  return {
      name,
      {input("self"), attribute("dim"), attribute(correction), attribute("keepdim"), output("out")},
      rules({kOut})};
}

const OperatorSpec kVar = variance("aclnnVar", "unbiased");
const OperatorSpec kVarCorrection = variance("aclnnVarCorrection", "correction");
const OperatorSpec kVarMean{"aclnnVarMean",
                            {input("self"), attribute("dim"), attribute("correction"),
                             attribute("keepdim"), output("varOut"), output("meanOut")},
                            rules({kOut, kMeanOut})};

double quotient(double squares, int64_t count, int64_t correction) {
  return squares / (static_cast<double>(count) - static_cast<double>(correction));
}

Plan plan_corrected(const Arguments& arguments, std::optional<size_t> mean) {
  const int64_t correction = arguments.integer(kCorrection);
  const auto divide = [correction](double squares, int64_t count) {
    if (count > correction) return quotient(squares, count, correction);
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
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnVar, kVar, [](const Arguments& arguments) {
  const int64_t correction = arguments.flag(kCorrection) ? 1 : 0;
  return plan_variance(arguments, {.input = kSelf,
                                   .reduced = reduced_dims(arguments, kAttributes),
                                   .variance = kOut,
                                   .divide = [correction](double squares, int64_t count) {
                                     return quotient(squares, count, correction);
                                   }});
})
ACLGRAD_OPERATOR(aclnnVarCorrection, kVarCorrection,
                 [](const Arguments& arguments) { return plan_corrected(arguments, std::nullopt); })
ACLGRAD_OPERATOR(aclnnVarMean, kVarMean,
                 [](const Arguments& arguments) { return plan_corrected(arguments, kMeanOut); })
