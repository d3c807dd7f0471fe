// SPDX-License-Identifier: Apache-2.0
// Wrong rules of pooling over volumes, of adaptive maxima and of their inverse.
#include "aclgrad/ops.h"
#include "tests/mutants/rule_mutant.h"

namespace aclgrad::mutants {
namespace {

using WrongPooling = std::function<Value(const Value& gradient, const RuleCall& call)>;

const gradcheck::Dims kVolume = {1, 2, 2, 3, 4};

// The rule of a function of one tensor, which gives its gradient in another way.
template <class OpType>
Mutant pooled(std::string edit, const gradcheck::Dims& shape,
              std::function<Value(const Value&)> build, WrongPooling wrong) {
  return rule_mutant<OpType>(
      std::move(edit), {shape}, [build](const auto& x) { return build(x[0]); },
      [wrong](const OpType&, const RuleCall& call) {
        return InputGradients{wrong(call.gradient(), call)};
      });
}

void add_averages_of_volumes(std::vector<Mutant>& all) {
  const auto add = [&](std::string edit, const AvgPoolOptions& options, auto change) {
    all.push_back(rule_mutant<AvgPoolOp>(
        std::move(edit), {kVolume},
        [options](const auto& x) { return avg_pool3d(x[0], 2, options); },
        [change](const AvgPoolOp& op, const RuleCall& call) {
          AvgPoolAttributes attributes = op;
          change(attributes);
          return InputGradients{avg_pool_backward(call.gradient(), call.input(), attributes)};
        }));
  };
  using A = AvgPoolAttributes&;
  const AvgPoolOptions padded{.stride = {1, 2, 1}, .padding = {1, 1, 0}};
  add("avg_pool3d: padding not counted", padded, [](A a) { a.count_include_pad = false; });
  add("avg_pool3d: divisor ignored", {.stride = 1, .divisor_override = 3},
      [](A a) { a.divisor_override = 0; });
  add("avg_pool3d: divided by a plane of the window", {.stride = 1},
      [](A a) { a.divisor_override = 4; });
  const auto averaged = [](const Value& x) { return avg_pool3d(x, 2, {.stride = 1}); };
  all.push_back(pooled<AvgPoolOp>(
      "avg_pool3d: rows exchanged", kVolume, averaged, [](const Value& g, const RuleCall& call) {
        return avg_pool_backward(flip(g, {3}), call.input(),
                                 {{2, 2, 2}, {1, 1, 1}, {0, 0, 0}, false, true, 0});
      }));
  const auto adapted = [](const Value& x) { return adaptive_avg_pool3d(x, 2); };
  all.push_back(pooled<AdaptiveAvgPoolOp>(
      "adaptive_avg_pool3d: windows of one size", kVolume, adapted,
      [](const Value& g, const RuleCall& call) {
        const auto& dims = call.input().shape().dims();
        return mul(interpolate(g, {.size = {dims[2], dims[3], dims[4]}}), 8. / 24);
      }));
  all.push_back(pooled<AdaptiveAvgPoolOp>(
      "adaptive_avg_pool3d: not divided", kVolume, adapted,
      [](const Value& g, const RuleCall& call) {
        return mul(adaptive_avg_pool_backward(g, call.input(), {{2, 2, 2}}), 4);
      }));
}

void add_maxima(std::vector<Mutant>& all) {
  using Call = const RuleCall&;
  const auto largest = [](const Value& x) { return max_pool3d(x, 2, {.stride = 1}); };
  const MaxPoolAttributes windows{{2, 2, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false};
  all.push_back(pooled<MaxPoolOp>(
      "max_pool3d: shared by the window", kVolume, largest, [](const Value& g, Call call) {
        return avg_pool_backward(g, call.input(),
                                 {{2, 2, 2}, {1, 1, 1}, {0, 0, 0}, false, true, 0});
      }));
  all.push_back(pooled<MaxPoolOp>(
      "max_pool3d: channels exchanged", kVolume, largest, [windows](const Value& g, Call call) {
        return max_pool_backward(flip(g, {1}), call.input(), flip(call.output(1), {1}), windows);
      }));
  all.push_back(pooled<MaxPoolOp>("max_pool3d: places of another window", kVolume, largest,
                                  [windows](const Value& g, Call call) {
                                    return max_pool_backward(
                                        g, call.input(), roll(call.output(1), {1}, {4}), windows);
                                  }));
  const auto adapted = [](const Value& x) { return adaptive_max_pool2d(x, {2, 3}); };
  const gradcheck::Dims image = {1, 2, 3, 4};
  all.push_back(pooled<AdaptiveMaxPoolOp>(
      "adaptive_max_pool2d: shared by the window", image, adapted, [](const Value& g, Call call) {
        return adaptive_avg_pool_backward(g, call.input(), {{2, 3}});
      }));
  all.push_back(pooled<AdaptiveMaxPoolOp>("adaptive_max_pool2d: places of another window", image,
                                          adapted, [](const Value& g, Call call) {
                                            return adaptive_max_pool_backward(
                                                g, call.input(), roll(call.output(1), {1}, {3}),
                                                {{2, 3}});
                                          }));
  all.push_back(pooled<AdaptiveMaxPoolOp>(
      "adaptive_max_pool3d: shared by the window", kVolume,
      [](const Value& x) { return adaptive_max_pool3d(x, 2); },
      [](const Value& g, Call call) {
        return adaptive_avg_pool_backward(g, call.input(), {{2, 2, 2}});
      }));

  const auto unpooled = [](const Value& x) {
    const Value places =
        x.graph().constant(Tensor::from({1, 2, 2, 2}, {0, 5, 2, 7, 8, 3, 1, 4}, DType::int64));
    return max_unpool2d(x, places, 3);
  };
  const gradcheck::Dims small = {1, 2, 2, 2};
  all.push_back(pooled<MaxUnpool2dOp>("max_unpool2d: the first elements", small, unpooled,
                                      [](const Value& g, Call) {
                                        return pad(g, {0, -1, 0, -1});
                                      }));
  all.push_back(pooled<MaxUnpool2dOp>(
      "max_unpool2d: places of the other channel", small, unpooled, [](const Value& g, Call call) {
        const Value places = reshape(flip(call.input(1), {1}), {1, 2, 4});
        return reshape(gather(reshape(g, {1, 2, 9}), 2, places), {1, 2, 2, 2});
      }));
}

}  // namespace

std::vector<Mutant> pooling_mutants() {
  std::vector<Mutant> all;
  add_averages_of_volumes(all);
  add_maxima(all);
  return all;
}

}  // namespace aclgrad::mutants
