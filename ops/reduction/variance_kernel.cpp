// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/variance_kernel.h"

#include <limits>

#include "ops/engine/tree_sum.h"
#include "ops/reduction/reduce_kernel.h"

namespace aclgrad::ops {
namespace {

class Variance {
 public:
  using Element = double;
  struct State {
    double mean;
    double squares;  // of the distances from the mean
    int64_t count;
  };

  Variance(const Arguments& arguments, const VarianceProblem& problem)
      : divide_(problem.divide), variance_(arguments, problem.variance) {
    if (problem.mean) mean_.emplace(arguments, *problem.mean);
  }

  void add(State& state, const double* block, size_t count, int64_t) const {
    AccumulatorSum<double> sum, squares;
    sum.add(block, count);
    const double mean = sum.total() / static_cast<double>(count);
    alignas(64) double terms[kBlock];
    for (size_t i = 0; i < count; ++i) terms[i] = (block[i] - mean) * (block[i] - mean);
    squares.add(terms, count);
    merge(state, {mean, squares.total(), static_cast<int64_t>(count)});
  }

  void merge(State& state, const State& next) const {
    if (state.count == 0) {
      state = next;
      return;
    }
    const auto before = static_cast<double>(state.count);
    const auto more = static_cast<double>(next.count);
    const double distance = next.mean - state.mean;
    state.mean += distance * (more / (before + more));
    state.squares += next.squares + distance * distance * (before * more / (before + more));
    state.count += next.count;
  }

  void finish(const Run& run, int64_t first, int64_t count, const State* states) const {
    for (int64_t i = 0; i < count; ++i) {
      const double variance = divide_(states[i].squares, states[i].count);
      variance_.write(run, &variance, first + i, first + i + 1);
      if (mean_) mean_->write(run, &states[i].mean, first + i, first + i + 1);
    }
  }

 private:
  std::function<double(double squares, int64_t count)> divide_;
  Elements variance_;
  std::optional<Elements> mean_ = {};
};

}  // namespace

Plan plan_variance(const Arguments& arguments, const VarianceProblem& problem) {
  if (arguments.empty(problem.variance)) return {};
  if (!arguments.empty(problem.input)) {
    return plan_block_reduction(arguments, problem.input, problem.reduced,
                                Variance(arguments, problem));
  }
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (!problem.mean) return plan_fill(arguments, {problem.variance}, kNaN);
  return plan_fill(arguments, {problem.variance, *problem.mean}, kNaN);
}

}  // namespace aclgrad::ops
