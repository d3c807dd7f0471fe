// SPDX-License-Identifier: Apache-2.0
// aclnnLogSumExp.
#include "aclnnop/aclnn_logsumexp.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/math/scalar_math.h"
#include "ops/engine/reduce.h"
#include "ops/engine/tree_sum.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::logsumexp {
namespace {

enum : size_t { kSelf, kDims, kKeepDim, kOut };
constexpr ReductionAttributes kAttributes{.dims = kDims, .keep_dims = kKeepDim};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const OperatorSpec kLogSumExp{
    "aclnnLogSumExp",
    {input("self"), attribute("dim"), attribute("keepDim"), output("out")},
    Rules{not_null({kSelf, kDims, kOut}), dtype_in(kSelf, kRealNumbersAndBool),
          dtype_in(kOut, kRealFloats), dims_in_range(kAttributes), dims_are_distinct(kAttributes),
          max_rank({kSelf, kOut}), has_reduced_shape(kOut, kAttributes)}};

double exponential(double x) { return power(std::numbers::e, x); }

class LogSumExp {
 public:
  using Element = double;
  struct State {
    double largest;  // NaN where there is one
    double sum;      // of e^(x - largest), for a finite one
    bool is_begun;
  };

  LogSumExp(const Arguments& arguments, size_t output) : output_(arguments, output) {}

  void add(State& state, const double* block, size_t count, int64_t) const {
    double largest = -kInfinity;
    for (size_t i = 0; i < count; ++i) {
      if (!(block[i] <= largest) && !std::isnan(largest)) largest = block[i];
    }
    if (!std::isfinite(largest)) return merge(state, {largest, 0, true});
    alignas(64) double terms[kBlock];
    for (size_t i = 0; i < count; ++i) terms[i] = exponential(block[i] - largest);
    AccumulatorSum<double> sum;
    sum.add(terms, count);
    merge(state, {largest, sum.total(), true});
  }

  void merge(State& state, const State& next) const {
    if (!state.is_begun) {
      state = next;
    } else if (next.largest <= state.largest) {
      state.sum += next.sum * share(next.largest, state.largest);
    } else if (!std::isnan(state.largest)) {
      state.sum = next.sum + state.sum * share(state.largest, next.largest);
      state.largest = next.largest;
    }
  }

  void finish(const Run& run, int64_t first, int64_t count, const State* states) const {
    for (int64_t i = 0; i < count; ++i) {
      const State& state = states[i];
      const double result =
          std::isfinite(state.largest) ? state.largest + natural_log(state.sum) : state.largest;
      output_.write(run, &result, first + i, first + i + 1);
    }
  }

 private:
  // What a sum beside one largest number counts beside a larger one.
  static double share(double smaller, double larger) {
    return std::isfinite(smaller) && std::isfinite(larger) ? exponential(smaller - larger) : 0;
  }

  Elements output_;
};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  if (arguments.empty(kSelf)) return plan_fill(arguments, {kOut}, -kInfinity);
  return plan_block_reduction(arguments, kSelf, reduced_dims(arguments, kAttributes),
                              LogSumExp(arguments, kOut));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnLogSumExp, kLogSumExp, [](const Arguments& a) { return plan(a); })

}  // namespace aclgrad::ops::logsumexp
