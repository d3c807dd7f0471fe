// SPDX-License-Identifier: Apache-2.0
#include "bench/checkers/callee.h"

#include <algorithm>
#include <deque>

#include "aclgrad/error.h"
#include "aclgrad/runtime/accept_double.h"
#include "gradcheck/core/problem.h"

namespace aclgrad::bench {

using namespace gradcheck;
using gradcheck::detail::given_dtype;
using gradcheck::detail::gradient_dtype;

const Contestants& contestants() {
  static const Contestants contestants = [] {
    Contestants each{mutants::all_mutants(), 0};
    each.wrong = each.all.size();
    for (auto right : {mutants::right_kernels, mutants::graph_operators}) {
      for (mutants::Mutant& op : right()) each.all.push_back(std::move(op));
    }
    return each;
  }();
  return contestants;
}

namespace {

gradcheck::Candidate candidate_of(const mutants::Mutant& mutant) {
  std::optional<gradcheck::Candidate> candidate;
  mutant.with([&] { candidate = mutant.make(); });
  return *candidate;
}

}  // namespace

Callee::Callee(const mutants::Mutant& mutant, DType dtype)
    : mutant_(mutant), dtype_(dtype), candidate_(candidate_of(mutant)) {
  differentiable_ = gradcheck::detail::differentiable(candidate_);
  last_.resize(differentiable_.size());
}

Arrays Callee::draw(std::uint64_t seed) const {
  Arrays inputs = gradcheck::detail::draw_inputs(candidate_, dtype_, seed, {});
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const contract::TensorSpec& input = gradcheck::detail::input_of(candidate_, k);
    if (input.dtype) continue;
    for (std::size_t i = 0; i < inputs[k].values.size(); ++i) {
      const double place = random_unit(seed * 1000 + 77 + k, i);
      inputs[k].values[i] = round_to(input.low + (input.high - input.low) * place, dtype_);
    }
  }
  return inputs;
}

Array Callee::forward(const Arrays& inputs) const {
  Array result = gradcheck::detail::forward_of(candidate_, inputs)[0];
  for (Number& value : result.values) value = round_to(value, dtype_);
  return result;
}

Arrays Callee::given(const Arrays& inputs) const {
  gradcheck::detail::Problem problem;
  problem.inputs = inputs;
  problem.outputs = gradcheck::detail::forward_of(candidate_, inputs);
  Array upstream = problem.outputs[0];
  std::ranges::fill(upstream.values, 0);
  gradcheck::detail::set_cotangent(candidate_, problem, std::move(upstream));
  return problem.given;
}

Arrays Callee::backward(Arrays& inputs, Array& upstream, const std::vector<bool>& wanted) {
  gradcheck::detail::Problem problem;
  problem.dtype = dtype_;
  problem.inputs = inputs;
  problem.outputs = gradcheck::detail::forward_of(candidate_, inputs);
  gradcheck::detail::set_cotangent(candidate_, problem, upstream);

  std::deque<Guarded> memory;
  std::vector<View> given;
  for (std::size_t i = 0; i < problem.given.size(); ++i) {
    memory.emplace_back(given_dtype(candidate_, i, dtype_), problem.given[i], Layout::contiguous,
                        0);
    given.push_back(memory.back().view());
  }
  std::vector<View> outputs;
  for (std::size_t k = 0; k < differentiable_.size(); ++k) {
    const Dims& shape = inputs[differentiable_[k]].shape;
    memory.emplace_back(gradient_dtype(candidate_, k, dtype_), shape, Layout::contiguous, 0);
    if (!last_[k].values.empty()) memory.back().fill(last_[k].values);
    outputs.push_back(memory.back().view());
    if (!wanted.empty() && !wanted[k]) outputs.back().data = nullptr;
  }

  std::string failure;
  mutant_.with([&] {
    const aclgrad::detail::AcceptDouble accept_double;  // the rules' operators, beyond the vendor's
    failure = candidate_.function({.inputs = given, .outputs = outputs, .poison = 0});
  });
  if (!failure.empty()) throw ValueError(failure);

  // The memory of what the caller gave is the caller's.
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto take_back = [&](Array& array) {
      if (array.shape == problem.given[i].shape && array.values == problem.given[i].values) {
        array = memory[i].read();
      }
    };
    take_back(upstream);
    for (Array& input : inputs) take_back(input);
  }
  Arrays gradients;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k].data == nullptr) {
      gradients.emplace_back();
    } else {
      gradients.push_back(memory[given.size() + k].read());
      last_[k] = gradients.back();
    }
  }
  return gradients;
}

}  // namespace aclgrad::bench
