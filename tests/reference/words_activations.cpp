// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops.h"
#include "tests/reference/words.h"

namespace aclgrad::reference {
namespace {

using Unary = std::function<Value(const Value&)>;
using Binary = std::function<Value(const Value&, const Value&)>;

std::function<Recorded(Graph&)> of(Unary function) {
  return [function](Graph& graph) {
    const Value x = graph.input("x", {2, 4});
    return Recorded{function(x), {x}};
  };
}

std::function<Recorded(Graph&)> of_two(Binary function) {
  return [function](Graph& graph) {
    const Value g = graph.input("g", {2, 4});
    const Value x = graph.input("x", {2, 4});
    return Recorded{function(g, x), {g, x}};
  };
}

}  // namespace

Section activations() {
  return {
      {"Activations", "激活函数"},
      {{{"aclnnSelu", "aclnnInplaceSelu"},
        {"λx for x > 0, λα(eˣ − 1) otherwise", "x > 0 时为 λx，否则为 λα(eˣ − 1)"},
        "selu(x)",
        of([](const Value& x) { return selu(x); })},
       {{"aclnnSeluBackward"},
        {"g·λ for y ≥ 0, g·(y + λα) otherwise; y is the forward's output",
         "y ≥ 0 时为 g·λ，否则为 g·(y + λα)；y 是正向的输出"},
        "selu_backward(g, y)",
        of_two([](const Value& g, const Value& y) { return selu_backward(g, y); })},
       {{"aclnnElu", "aclnnInplaceElu"},
        {"scale·x for x > 0, alpha·scale·(e^(x·inputScale) − 1) otherwise",
         "x > 0 时为 scale·x，否则为 alpha·scale·(e^(x·inputScale) − 1)"},
        "elu(x, alpha, scale, input_scale)",
        of([](const Value& x) { return elu(x); })},
       {{"aclnnEluBackward"},
        {"g·scale for s > 0; otherwise g·inputScale·alpha·scale·e^(s·inputScale) of the input, or "
         "g·inputScale·(s + alpha·scale) of the output (`isResult`)",
         "s > 0 时为 g·scale；否则按输入为 g·inputScale·alpha·scale·e^(s·inputScale)，按输出"
         "（`isResult`）为 g·inputScale·(s + alpha·scale)"},
        "elu_backward(g, s, ...)",
        of_two([](const Value& g, const Value& s) { return elu_backward(g, s); })},
       {{"aclnnHardswish", "aclnnInplaceHardswish"},
        {"0, x(x + 3)/6 or x below, within and above ±3",
         "在 −3 以下、±3 之间、3 以上分别为 0、x(x + 3)/6、x"},
        "hardswish(x)",
        of([](const Value& x) { return hardswish(x); })},
       {{"aclnnHardswishBackward"},
        {"g·(0, x/3 + ½, 1); the middle piece includes ±3", "g·(0, x/3 + ½, 1)；±3 属于中间一段"},
        "hardswish_backward(g, x, HardswishGradient::v1)",
        of_two([](const Value& g, const Value& x) {
          return hardswish_backward(g, x, HardswishGradient::v1);
        })},
       {{"aclnnHardswishBackwardV2"},
        {"g·(0, x/3 + ½, 1); the middle piece excludes ±3", "g·(0, x/3 + ½, 1)；±3 不属于中间一段"},
        "hardswish_backward(g, x)",
        of_two([](const Value& g, const Value& x) {
          return hardswish_backward(g, x, HardswishGradient::v2);
        })},
       {{"aclnnGeGlu", "aclnnGeGluV3"},
        {"self = [A, B] along dim; A·gelu(B), or gelu(A)·B with activateLeft",
         "沿 dim 把 self 分为 [A, B]；结果为 A·gelu(B)，activateLeft 时为 gelu(A)·B"},
        "geglu(x, dim, approximate, activate_left)",
        of([](const Value& x) { return geglu(x); })},
       {{"aclnnGeGluBackward", "aclnnGeGluV3Backward"},
        {"[g·gelu, g·A·gelu′(B)], or [g·B·gelu′(A), g·gelu]",
         "[g·gelu, g·A·gelu′(B)]，或 [g·B·gelu′(A), g·gelu]"},
        "geglu_backward(g, x, gelu, ...)",
        [](Graph& graph) {
          const Value g = graph.input("g", {2, 2});
          const Value x = graph.input("x", {2, 4});
          const Value gelu = graph.input("gelu", {2, 2});
          return Recorded{geglu_backward(g, x, gelu, -1, Approximate::none, false), {g, x}};
        }},
       {{"aclnnGelu"},
        {"x·Φ(x) in its tanh form", "x·Φ(x)，tanh 近似"},
        "gelu(x, Approximate::tanh)",
        of([](const Value& x) { return gelu(x, Approximate::tanh); })},
       {{"aclnnGeluBackward"},
        {"g·gelu′(x), tanh form", "g·gelu′(x)，tanh 近似"},
        "gelu_backward(g, x, Approximate::tanh)",
        of_two(
            [](const Value& g, const Value& x) { return gelu_backward(g, x, Approximate::tanh); })},
       {{"aclnnGeluV2"},
        {"x·Φ(x), erf form (0) or tanh form (1)",
         "x·Φ(x)，approximate 为 0 时用 erf，为 1 时用 tanh"},
        "gelu_v2(x, approximate)",
        of([](const Value& x) { return gelu_v2(x); })},
       {{"aclnnGeluBackwardV2"},
        {"g·gelu′(x), form \"none\" or \"tanh\"", "g·gelu′(x)，\"none\" 用 erf，\"tanh\" 用 tanh"},
        "gelu_v2_backward(g, x, approximate)",
        of_two([](const Value& g, const Value& x) {
          return gelu_v2_backward(g, x, Approximate::none);
        })},
       {{"aclnnSilu"},
        {"x·σ(x), with σ(x) = 1/(1 + e⁻ˣ)", "x·σ(x)，其中 σ(x) = 1/(1 + e⁻ˣ)"},
        "silu(x)",
        of([](const Value& x) { return silu(x); })},
       {{"aclnnSiluBackward"},
        {"g·σ(x)·(1 + x·(1 − σ(x)))", "g·σ(x)·(1 + x·(1 − σ(x)))"},
        "silu_backward(g, x)",
        of_two([](const Value& g, const Value& x) { return silu_backward(g, x); })}}};
}

}  // namespace aclgrad::reference
