// SPDX-License-Identifier: Apache-2.0
// lstm() and gru() of sequences of several lengths, which are known in the run alone. A node goes
// through all steps of a layer in one direction. So that what lies behind a sequence does not
// matter, whatever it is:
//
// * it is replaced by 0 in what goes in and in what comes out, which stops its gradients;
// * backwards, each sequence is reversed within its length, so that its padding comes last, too;
// * h after the last step that counts is that row of the outputs;
// * c is kept to the end, as there i = 0 and f = 1: a column of the input is 1 in the padding, and
//   its weights bring the sigmoids there, whose slopes are 0.
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/shape.h"
#include "graph/ops/recurrent_steps.h"

namespace aclgrad::detail {
namespace {

// Any float16 holds it, and sigmoid() of it is 1, of its negative 0, whatever else is in the sum:
// |h| is at most 1, so that is no more than the weights of a gate.
constexpr double kSaturating = 3e4;

class Lengths {
 public:
  Lengths(const Value& lengths, std::int64_t steps, std::int64_t batch)
      : steps_(steps), batch_(batch) {
    const Graph graph = lengths.graph();
    const auto numbers = [&](std::int64_t count) {
      return graph.constant(Tensor::arange(count, 0, 1, DType::int64));
    };
    const Value t = reshape(numbers(steps), {steps, 1}), n = numbers(batch);
    const Value all = graph.constant(Tensor::full({1}, static_cast<double>(steps), DType::int64));
    const Value counts = minimum(cast(lengths, DType::int64), all);
    const Value is_behind = le(counts, t);  // [T, N]
    is_padding_ = reshape(is_behind, {steps, batch, 1});
    const Value last = counts - 1;
    reversed_ =
        reshape(add(mul(where(is_behind, t, sub(last, t)), batch_as_double()), n), {steps * batch});
    is_empty_ = reshape(lt(last, 0), {batch, 1});
    last_ = add(mul(masked_fill(last, lt(last, 0), 0), batch_as_double()), n);
  }

  const Value& is_padding() const { return is_padding_; }  // [T, N, 1]

  // Of [T, N, ...].
  Value without_padding(const Value& x) const { return masked_fill(x, is_padding_, 0); }
  Value reversed(const Value& x) const {
    return reshape(index_select(rows(x), 0, reversed_), x.shape());
  }

  // What stands in the row of the last step, [N, H]; of sequences without a step `begin`.
  Value last(const Value& x, const Value& begin) const {
    return where(is_empty_, begin, index_select(rows(x), 0, last_));
  }

 private:
  double batch_as_double() const { return static_cast<double>(batch_); }
  Value rows(const Value& x) const { return reshape(x, {steps_ * batch_, x.shape()[2]}); }

  std::int64_t steps_, batch_;
  Value is_padding_, is_empty_, reversed_, last_;
};

// With a column that is 1 in the padding, and its weights, so that c is kept there.
Value with_column(const Value& x, const Lengths& lengths) {
  return cat({x, cast(lengths.is_padding(), x.dtype())}, -1);
}
Value with_weights_of_column(const Value& weight) {
  const std::int64_t size = weight.shape()[0] / 4;  // of the gates i, f, g, o
  Tensor column = Tensor::zeros({4 * size, 1}, weight.dtype());
  for (std::int64_t k = 0; k < size; ++k) {
    column.set({k, 0}, -kSaturating);
    column.set({size + k, 0}, kSaturating);
  }
  return cat({weight, weight.graph().constant(std::move(column))}, 1);
}

}  // namespace

LayersResult with_lengths(const Value& x, const RecurrentState& begin,
                          const std::vector<Value>& params,
                          const RecurrentFunctionOptions& options) {
  const Lengths lengths(options.lengths, x.shape()[0], x.shape()[1]);
  const RecurrentFunctionOptions one{.has_biases = options.has_biases,
                                     .by_steps = options.by_steps};
  const auto pass = [&](const Value& all, bool backwards, const std::vector<Value>& given,
                        RecurrentState& state) {
    const Value in = backwards ? lengths.reversed(all) : all;
    const auto as_layer = [](const Value& of) {
      return reshape(of, {1, of.shape()[0], of.shape()[1]});
    };
    Value output;
    const Value h = state.h;
    if (state.c) {
      std::vector<Value> weights = given;
      weights[0] = with_weights_of_column(given[0]);
      const LstmResult made =
          lstm(with_column(in, lengths), {as_layer(h), as_layer(state.c)}, weights, one);
      output = made.output;
      state.c = reshape(made.c_n, h.shape());
    } else {
      output = gru(in, as_layer(h), given, one).output;
    }
    state.h = lengths.last(output, h);
    return lengths.without_padding(backwards ? lengths.reversed(output) : output);
  };
  return layer_by_layer(lengths.without_padding(x), begin, params, options, pass);
}

}  // namespace aclgrad::detail
