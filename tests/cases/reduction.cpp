// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

// Sums of DOUBLE round at every addition. Of 288 terms, 36 to a lane (tree_sum.h), each passes
// through 39 additions, and a mean is divided: 40 times half a unit of the sum of magnitudes.
constexpr double kUlpOfDoubleSum = 20;

// Sums a [n, 3, 4] tensor over dimensions 0 and 2, or over everything.
Reference sum(bool everything, bool mean, bool magnitudes) {
  return [=](const Arrays& inputs) {
    Array out{everything ? std::vector<int64_t>{} : std::vector<int64_t>{3},
              std::vector<long double>(everything ? 1 : 3, 0)};
    for (size_t i = 0; i < inputs[0].values.size(); ++i) {
      const long double term = inputs[0].values[i];
      out.values[everything ? 0 : i / 4 % 3] += magnitudes ? std::fabs(term) : term;
    }
    const auto terms = static_cast<long double>(inputs[0].values.size() / out.values.size());
    if (mean) {
      for (long double& value : out.values) value /= terms;
    }
    Arrays result;
    result.push_back(std::move(out));  // g++ 14 takes a copy for an access beyond the shape
    return result;
  };
}

// The dtype of the sum is the output's: asked of the tensor, so that one row serves every dtype.
aclDataType dtype_of(const aclTensor* tensor) {
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclGetDataType(tensor, &dtype);
  return dtype;
}

}  // namespace

std::vector<Case> reduction_cases() {
  std::vector<Case> rows;
  for (bool everything : {false, true}) {
    const aclIntArray* dims = everything ? int_array({}) : int_array({0, -1});
    const std::string attributes = everything ? "over everything" : "dims=[0, -1]";
    const std::vector<int64_t> out = everything ? std::vector<int64_t>{} : std::vector<int64_t>{3};
    rows.push_back({.api = "aclnnReduceSum",
                    .attributes = attributes,
                    .dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32, ACL_INT64},
                    .inputs = {{{kN, 3, 4}}},
                    .outputs = {{out}},
                    .phase_one =
                        [dims](auto t, auto* size, auto** executor) {
                          return aclnnReduceSumGetWorkspaceSize(t[0], dims, false, dtype_of(t[1]),
                                                                t[1], size, executor);
                        },
                    .phase_two = aclnnReduceSum,
                    .reference = sum(everything, false, false),
                    .max_ulp = 1,
                    .max_ulp_16bit = 1,
                    .max_ulp_double = kUlpOfDoubleSum,
                    .magnitude = sum(everything, false, true)});
    rows.push_back({.api = "aclnnMean",
                    .attributes = attributes,
                    .dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE},
                    .inputs = {{{kN, 3, 4}}},
                    .outputs = {{out}},
                    .phase_one =
                        [dims](auto t, auto* size, auto** executor) {
                          return aclnnMeanGetWorkspaceSize(t[0], dims, false, dtype_of(t[1]), t[1],
                                                           size, executor);
                        },
                    .phase_two = aclnnMean,
                    .reference = sum(everything, true, false),
                    .max_ulp = 1,
                    .max_ulp_16bit = 1,
                    .max_ulp_double = kUlpOfDoubleSum,
                    .magnitude = sum(everything, true, true)});
    Case mean_v2 = rows.back();
    mean_v2.api = "aclnnMeanV2";
    mean_v2.phase_one = [dims](auto t, auto* size, auto** executor) {
      return aclnnMeanV2GetWorkspaceSize(t[0], dims, false, false, t[1], size, executor);
    };
    mean_v2.phase_two = aclnnMeanV2;
    rows.push_back(std::move(mean_v2));
  }
  rows.push_back({.api = "aclnnMeanV2",
                  .attributes = "dim=[], noopWithEmptyAxes",
                  .dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE},
                  .inputs = {{{kN, 3, 4}}},
                  .outputs = {{{kN, 3, 4}}},
                  .phase_one =
                      [dims = int_array({})](auto t, auto* size, auto** executor) {
                        return aclnnMeanV2GetWorkspaceSize(t[0], dims, false, true, t[1], size,
                                                           executor);
                      },
                  .phase_two = aclnnMeanV2,
                  .reference = elementwise([](auto x) { return x[0]; }),
                  .max_ulp = 0});
  return rows;
}

}  // namespace aclgrad::cases
