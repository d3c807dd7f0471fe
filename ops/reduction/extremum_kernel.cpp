// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/extremum_kernel.h"

#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Elements are compared as double or int64_t, which hold every value of the dtypes.
template <class T>
class Extremum {
 public:
  using Element = T;
  struct State {
    T best;
    int64_t place;  // of the best element, from 1 on; 0: there is none yet
  };

  Extremum(const Arguments& arguments, const ExtremumProblem& problem) : largest_(problem.largest) {
    if (problem.values) values_.emplace(arguments, *problem.values);
    if (problem.indices) indices_.emplace(arguments, *problem.indices);
  }

  void add(State& state, const T* block, size_t count, int64_t first) const {
    largest_ ? add<true>(state, block, count, first) : add<false>(state, block, count, first);
  }
  void merge(State& state, const State& next) const { add(state, &next.best, 1, next.place - 1); }
  void finish(const Run& run, int64_t first, int64_t count, const State* states) const {
    constexpr int64_t kAtOnce = 64;
    T values[kAtOnce];
    int64_t indices[kAtOnce];
    for (int64_t i = 0; i < count; i += kAtOnce) {
      const int64_t some = std::min(kAtOnce, count - i);
      for (int64_t j = 0; j < some; ++j) {
        values[j] = states[i + j].best;
        indices[j] = states[i + j].place - 1;
      }
      if (values_) values_->write(run, values, first + i, first + i + some);
      if (indices_) indices_->write(run, indices, first + i, first + i + some);
    }
  }

 private:
  template <bool kLargest>
  static void add(State& state, const T* block, size_t count, int64_t first) {
    size_t i = 0;
    if (state.place == 0) state = {block[i++], first + 1};
    for (; i < count; ++i) {
      // A comparison with NaN fails: with one in the block, or with the first, which stays.
      const bool stays = kLargest ? block[i] <= state.best : block[i] >= state.best;
      if (stays) continue;
      if (state.best != state.best) return;
      state = {block[i], first + static_cast<int64_t>(i) + 1};
    }
  }

  bool largest_;
  std::optional<Elements> values_ = {};
  std::optional<Elements> indices_ = {};
};

template <class T>
Plan plan_for(const Arguments& arguments, const ExtremumProblem& problem) {
  return plan_block_reduction(arguments, problem.input, problem.reduced,
                              Extremum<T>(arguments, problem));
}

}  // namespace

Plan plan_extremum(const Arguments& arguments, const ExtremumProblem& problem) {
  if (arguments.empty(problem.input)) return {};
  return is_floating(arguments.dtype(problem.input)) ? plan_for<double>(arguments, problem)
                                                     : plan_for<int64_t>(arguments, problem);
}

}  // namespace aclgrad::ops
