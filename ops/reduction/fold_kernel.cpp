// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/fold_kernel.h"

#include <array>
#include <complex>

#include "ops/engine/reduce.h"
#include "ops/engine/tree_sum.h"
#include "ops/meta/dtypes.h"
#include "ops/reduction/reduce_kernel.h"

namespace aclgrad::ops {
namespace {

struct Product {
  static constexpr int kStart = 1;
  template <class T>
  static T join(const T& a, const T& b) {
    return wrapping_product(a, b);
  }
};

// Of elements that are 0 or 1.
struct All {
  static constexpr int kStart = 1;
  static int64_t join(int64_t a, int64_t b) { return a & b; }
};
struct Any {
  static constexpr int kStart = 0;
  static int64_t join(int64_t a, int64_t b) { return a | b; }
};

template <class T, class Operation>
class Folding {
 public:
  using Element = T;
  struct State {
    T value = static_cast<T>(Operation::kStart);
  };

  Folding(const Arguments& arguments, const FoldProblem& problem)
      : output_(arguments, problem.output), dtype_(problem.dtype) {}

  void add(State& state, const T* block, size_t count, int64_t) const {
    std::array<T, kAccumulators> lanes;
    lanes.fill(static_cast<T>(Operation::kStart));
    size_t i = 0;
    for (; i + kAccumulators <= count; i += kAccumulators) {
      for (size_t lane = 0; lane < kAccumulators; ++lane) {
        lanes[lane] = Operation::join(lanes[lane], block[i + lane]);
      }
    }
    for (size_t lane = 0; i + lane < count; ++lane) {
      lanes[lane] = Operation::join(lanes[lane], block[i + lane]);
    }
    for (size_t width = kAccumulators / 2; width > 0; width /= 2) {
      for (size_t k = 0; k < width; ++k) {
        lanes[k] = Operation::join(lanes[2 * k], lanes[2 * k + 1]);
      }
    }
    state.value = Operation::join(state.value, lanes[0]);
  }
  void merge(State& state, const State& next) const {
    state.value = Operation::join(state.value, next.value);
  }
  void finish(const Run& run, int64_t first, int64_t count, const State* states) const {
    for (int64_t i = 0; i < count; ++i) {
      output_.write_through(run, &states[i].value, dtype_, first + i, first + i + 1);
    }
  }

 private:
  Elements output_;
  aclDataType dtype_;
};

template <class T, class Operation>
Plan plan_for(const Arguments& arguments, const FoldProblem& problem) {
  return plan_block_reduction(arguments, problem.input, problem.reduced,
                              Folding<T, Operation>(arguments, problem), problem.dtype);
}

}  // namespace

Plan plan_fold(const Arguments& arguments, const FoldProblem& problem) {
  if (arguments.empty(problem.output)) return {};
  if (arguments.empty(problem.input)) {
    return plan_fill(arguments, {problem.output}, problem.fold == Fold::kAny ? 0 : 1);
  }
  if (problem.fold == Fold::kAll) return plan_for<int64_t, All>(arguments, problem);
  if (problem.fold == Fold::kAny) return plan_for<int64_t, Any>(arguments, problem);
  if (is_complex(problem.dtype)) {
    return plan_for<std::complex<double>, Product>(arguments, problem);
  }
  return is_floating(problem.dtype) ? plan_for<double, Product>(arguments, problem)
                                    : plan_for<int64_t, Product>(arguments, problem);
}

}  // namespace aclgrad::ops
