// SPDX-License-Identifier: Apache-2.0
// Wrong backwards of attention in tiles: one kernel, with a switch for every mistake. And wrong
// rules of what stands beside it: rotary places, masked softmax, deep_norm().
#include <cmath>

#include "aclgrad/ops.h"
#include "tests/mutants/rule_mutant.h"

namespace aclgrad::mutants {
namespace {

// Of 2 heads of 3 queries and 5 keys of 6 columns. Inputs: query, key, value, the gradient, largest
// scores, sums, the output.
constexpr std::size_t kQueries = 3, kKeys = 5, kHeadSize = 6, kRepeats = 8;
constexpr double kAttentionScale = 0.375;

Kernels attention(const Edits& edits) {
  return [edits](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    Values out = {std::vector<double>(in[0].size()), std::vector<double>(in[1].size()),
                  std::vector<double>(in[2].size())};
    const auto product = [&](std::size_t a, std::size_t i, std::size_t b, std::size_t j) {
      double sum = 0;
      for (std::size_t d = 0; d < kHeadSize; ++d) {
        sum += in[a][i * kHeadSize + d] * in[b][j * kHeadSize + d];
      }
      return sum;
    };
    for (std::size_t i = 0; i < in[0].size() / kHeadSize; ++i) {
      const std::size_t head = i / kQueries;
      const double sum = in[5][i * kRepeats];
      const double along = is("the gradient along the shares missing") ? 0 : product(3, i, 6, i);
      for (std::size_t k = 0; k < kKeys; ++k) {
        const std::size_t j =
            is("the last key skipped") && k + 1 == kKeys ? head * kKeys : head * kKeys + k;
        const double score = product(0, i, 1, j) * (is("scores not scaled") ? 1 : kAttentionScale);
        double share = std::exp(score - in[4][i * kRepeats]);
        if (!is("not divided by the sum")) share /= sum;
        double slope = share * (product(3, i, 2, j) - along);
        if (is("shares squared")) slope *= share;
        const std::size_t to =
            is("the gradient of the next key") ? head * kKeys + (k + 1) % kKeys : j;
        for (std::size_t d = 0; d < kHeadSize; ++d) {
          const double query = in[0][i * kHeadSize + d], key = in[1][j * kHeadSize + d];
          out[0][i * kHeadSize + d] +=
              slope * key * (is("query's gradient not scaled") ? 1 : kAttentionScale);
          out[1][to * kHeadSize + d] +=
              slope * query * (is("key's gradient not scaled") ? 1 : kAttentionScale);
          out[2][j * kHeadSize + d] +=
              (is("value's gradient of slopes") ? slope : share) * in[3][i * kHeadSize + d];
        }
      }
    }
    return out;
  };
}

void add_attention_rules(std::vector<Mutant>& all) {
  const auto add = [&](std::string edit, const AttentionOptions& options, auto change) {
    all.push_back(rule_mutant<AttentionOp>(
        std::move(edit), {{2, 2, 3, 4}, {2, 2, 3, 4}, {2, 2, 3, 4}, {3, 3}},
        [options](const auto& x) {
          return scaled_dot_product_attention(x[0], x[1], x[2], x[3], options);
        },
        [change](const AttentionOp& op, const RuleCall& call) {
          AttentionBackwardAttributes attributes{op, true};
          change(attributes);
          std::vector<Value> inputs;
          for (std::size_t k = 0; k < call.node().inputs.size(); ++k)
            inputs.push_back(call.input(k));
          if (!attributes.is_causal) inputs.resize(4);
          InputGradients all_of = scaled_dot_product_attention_backward(
              call.gradient(), inputs, {call.output(0), call.output(1), call.output(2)},
              attributes);
          all_of.resize(call.node().inputs.size());
          return all_of;
        }));
  };
  using A = AttentionBackwardAttributes&;
  add("attention: later places seen", {.is_causal = true}, [](A a) { a.is_causal = false; });
  add("attention: the usual scale", {.scale = 0.8}, [](A a) { a.scale = 0.5; });
}

void add_rotary(std::vector<Mutant>& all) {
  const auto add = [&](std::string edit, RotaryMode mode, auto change) {
    all.push_back(rule_mutant<RotaryOp>(
        std::move(edit), {{2, 3, 4}, {3, 4}, {3, 4}},
        [mode](const auto& x) { return rotary_position_embedding(x[0], x[1], x[2], mode); },
        [change](const RotaryOp& op, const RuleCall& call) {
          const auto of = rotary_position_embedding_backward(call.gradient(), call.input(1),
                                                             call.input(2), call.input(0), op.mode);
          InputGradients right(of.begin(), of.end());
          return change(op, call, right);
        }));
  };
  using Op = const RotaryOp&;
  using Call = const RuleCall&;
  using Right = const InputGradients&;
  for (const RotaryMode mode : {RotaryMode::half, RotaryMode::interleave}) {
    const std::string of = "rotary " + to_string(mode) + ": ";
    add(of + "turned on, not back", mode, [](Op op, Call call, Right right) {
      const Value on =
          rotary_position_embedding(call.gradient(), call.input(1), call.input(2), op.mode);
      return InputGradients{on, right[1], right[2]};
    });
    add(of + "the other mode's pairs", mode, [](Op op, Call call, Right right) {
      const RotaryMode other =
          op.mode == RotaryMode::half ? RotaryMode::interleave : RotaryMode::half;
      const auto wrong = rotary_position_embedding_backward(call.gradient(), call.input(1),
                                                            call.input(2), {}, other);
      return InputGradients{wrong[0], right[1], right[2]};
    });
  }
  add("rotary: the table's gradients exchanged", RotaryMode::half, [](Op, Call, Right right) {
    return InputGradients{right[0], right[2], right[1]};
  });
  add("rotary: the sines' gradient of the other sign", RotaryMode::half, [](Op, Call, Right right) {
    return InputGradients{right[0], right[1], neg(right[2])};
  });
}

// Of a row of all places, one of some, and one of none.
Value some_hidden(const Value& x) {
  const Tensor hidden = Tensor::from({3, 3}, {0, 0, 0, 0, 1, 0, 1, 1, 1}).to(DType::boolean);
  return x.graph().constant(hidden);
}

void add_masked_softmax(std::vector<Mutant>& all) {
  const auto add = [&](std::string edit, bool triangle, auto change) {
    all.push_back(rule_mutant<ScaledMaskedSoftmaxOp>(
        std::move(edit), {{2, 2, 3, 3}},
        [triangle](const auto& x) {
          return scaled_masked_softmax(x[0], some_hidden(x[0]), 0.6, triangle);
        },
        [change](const ScaledMaskedSoftmaxOp& op, const RuleCall& call) {
          return InputGradients{change(op, call), Value()};
        }));
  };
  using Op = const ScaledMaskedSoftmaxOp&;
  using Call = const RuleCall&;
  const auto with = [](Call call, ScaledMaskedSoftmaxAttributes attributes) {
    return scaled_masked_softmax_backward(call.gradient(), call.output(), call.input(1),
                                          attributes);
  };
  add("masked softmax: scale forgotten", false, [=](Op op, Call call) {
    return with(call, {1, op.fixed_triu_mask});
  });
  add("masked softmax: scale squared", false, [=](Op op, Call call) {
    return with(call, {op.scale * op.scale, op.fixed_triu_mask});
  });
  add("masked softmax: what is masked has a gradient", false, [](Op op, Call call) {
    return mul(softmax_backward(call.gradient(), call.output(), -1), op.scale);
  });
  add("masked softmax: the triangle for the mask", false, [=](Op op, Call call) {
    return with(call, {op.scale, true});
  });
  add("masked softmax: the mask for the triangle", true, [=](Op op, Call call) {
    return with(call, {op.scale, false});
  });
}

void add_deep_norm(std::vector<Mutant>& all) {
  const auto add = [&](std::string edit, auto change) {
    all.push_back(rule_mutant<DeepNormOp>(
        std::move(edit), {{3, 4}, {3, 4}, {4}, {4}},
        [](const auto& x) { return deep_norm(x[0], x[1], x[2], x[3], 0.6, 0.125); },
        [change](const DeepNormOp& op, const RuleCall& call) {
          const auto with = [&](double alpha) {
            const auto of =
                deep_norm_backward(call.gradient(), call.input(0), call.input(1), call.input(3),
                                   call.output(1), call.output(2), alpha);
            return InputGradients(of.begin(), of.end());
          };
          return change(with(op.alpha), with(1));
        }));
  };
  using G = const InputGradients&;
  add("deep norm: alpha forgotten", [](G right, G) {
    return InputGradients{right[1], right[1], right[2], right[3]};
  });
  add("deep norm: alpha of the branch, too", [](G right, G) {
    return InputGradients{right[0], right[0], right[2], right[3]};
  });
  add("deep norm: x and the branch exchanged", [](G right, G) {
    return InputGradients{right[1], right[0], right[2], right[3]};
  });
  add("deep norm: beta and gamma exchanged", [](G right, G) {
    return InputGradients{right[0], right[1], right[3], right[2]};
  });
  add("deep norm: the sum without alpha", [](G, G without) { return without; });
}

}  // namespace

std::vector<Mutant> attention_mutants() {
  std::vector<Mutant> all;
  add_attention_rules(all);
  add_rotary(all);
  add_masked_softmax(all);
  add_deep_norm(all);
  add_mutants(
      all, "attention", "flash_attention", gradcheck::variants("flash_attention")[0], attention,
      {"the gradient along the shares missing", "the last key skipped", "scores not scaled",
       "not divided by the sum", "shares squared", "the gradient of the next key",
       "query's gradient not scaled", "key's gradient not scaled", "value's gradient of slopes"});
  return all;
}

}  // namespace aclgrad::mutants
