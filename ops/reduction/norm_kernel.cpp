// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/norm_kernel.h"

#include <cmath>

#include "ops/engine/math/scalar_math.h"
#include "ops/engine/tree_sum.h"
#include "ops/reduction/reduce_kernel.h"

namespace aclgrad::ops {
namespace {

class Norm {
 public:
  using Element = double;
  struct State {
    double total;  // the sum of powers, or the largest or smallest magnitude
    bool is_begun;
  };

  Norm(const Arguments& arguments, double p, size_t output) : p_(p), output_(arguments, output) {}

  void add(State& state, const double* block, size_t count, int64_t) const {
    alignas(64) double terms[kBlock];
    map_magnitudes(block, count, terms);
    if (std::isinf(p_)) {
      for (size_t i = 0; i < count; ++i) merge(state, {terms[i], true});
      return;
    }
    AccumulatorSum<double> sum;
    sum.add(terms, count);
    merge(state, {sum.total(), true});
  }

  void merge(State& state, const State& next) const {
    if (!state.is_begun) {
      state = next;
    } else if (!std::isinf(p_)) {
      state.total += next.total;
    } else if (p_ > 0 ? !(next.total <= state.total) : !(next.total >= state.total)) {
      // A NaN is neither, and the first one stays.
      if (!std::isnan(state.total)) state.total = next.total;
    }
  }

  void finish(const Run& run, int64_t first, int64_t count, const State* states) const {
    for (int64_t i = 0; i < count; ++i) {
      const double norm = root(states[i].total);
      output_.write(run, &norm, first + i, first + i + 1);
    }
  }

 private:
  void map_magnitudes(const double* block, size_t count, double* terms) const {
    const auto map = [&](const auto& f) {
      for (size_t i = 0; i < count; ++i) terms[i] = f(block[i]);
    };
    if (p_ == 2) {
      map([](double x) { return x * x; });
    } else if (p_ == 1 || std::isinf(p_)) {
      map([](double x) { return std::abs(x); });
    } else if (p_ == 0) {
      map([](double x) { return x != 0 ? 1.0 : 0.0; });
    } else {
      map([this](double x) { return power(std::abs(x), p_); });
    }
  }

  double root(double total) const {
    if (p_ == 2) return std::sqrt(total);
    if (p_ == 0 || p_ == 1 || std::isinf(p_)) return total;
    return power(total, 1 / p_);
  }

  double p_;
  Elements output_;
};

}  // namespace

Plan plan_norm(const Arguments& arguments, size_t input, const DimSet& reduced, double p,
               size_t output) {
  if (arguments.empty(output)) return {};
  if (arguments.empty(input)) return plan_fill(arguments, {output}, 0);
  return plan_block_reduction(arguments, input, reduced, Norm(arguments, p, output));
}

}  // namespace aclgrad::ops
