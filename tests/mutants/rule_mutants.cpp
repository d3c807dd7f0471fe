// SPDX-License-Identifier: Apache-2.0
// Wrong gradient rules of graph operators, put in place of the right ones.
#include "tests/mutants/rule_mutant.h"

#include <fmt/format.h>

#include "aclgrad/ops.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::Build;
using gradcheck::Dims;

Value swapped(const Value& matrix) { return transpose(matrix, 0, 1); }

// A rule in the place of another, as long as it lives.
class Exchanged {
 public:
  Exchanged(std::type_index op, Rule rule) : op_(op), former_(exchange_rule(op, std::move(rule))) {}
  ~Exchanged() { exchange_rule(op_, std::move(former_)); }
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;

 private:
  std::type_index op_;
  Rule former_;
};

}  // namespace

Mutant with_rule(std::type_index op, std::string edit, const std::vector<Dims>& shapes, Build build,
                 Rule rule, const std::optional<contract::Parameter>& numbers) {
  std::vector<contract::Parameter> inputs;
  for (const Dims& shape : shapes) {
    inputs.push_back(gradcheck::input(fmt::format("x{}", inputs.size()), shape));
  }
  if (numbers) inputs.push_back(*numbers);
  return {.family = "graph rules",
          .edit = std::move(edit),
          .make = [=] { return gradcheck::from_graph("graph", inputs, build); },
          .with =
              [=](const std::function<void()>& use) {
                const Exchanged wrong(op, rule);
                use();
              }};
}

std::vector<Mutant> rule_mutants() {
  const Dims s = {2, 3};
  const Dims square = {3, 3};
  const Build sum = [](const auto& x) { return add(x[0], x[1], 0.7); };
  const Build difference = [](const auto& x) { return sub(x[0], x[1], 0.7); };
  const Build product = [](const auto& x) { return mul(x[0], x[1]); };
  const Build matrix = [](const auto& x) { return matmul(x[0], x[1]); };
  const Build affine = [](const auto& x) { return addmm(x[0], x[1], x[2], 0.5, -2); };
  const Build self_product = [](const auto& x) { return mul(x[0], x[0]); };
  return {
      rule_mutant<AddOp>("add: alpha missing", {s, s}, sum,
                         [](const AddOp&, const RuleCall& call) {
                           return InputGradients{call.gradient(), call.gradient()};
                         }),
      rule_mutant<SubOp>("sub: sign of the second operand", {s, s}, difference,
                         [](const SubOp& op, const RuleCall& call) {
                           return InputGradients{call.gradient(), mul(call.gradient(), op.alpha)};
                         }),
      rule_mutant<SubOp>(
          "sub: alpha to the first operand", {s, s}, difference,
          [](const SubOp& op, const RuleCall& call) {
            return InputGradients{mul(call.gradient(), op.alpha), mul(call.gradient(), -op.alpha)};
          }),
      rule_mutant<MulOp>("mul: operands exchanged", {s, s}, product,
                         [](const MulOp&, const RuleCall& call) {
                           return InputGradients{mul(call.gradient(), call.input(0)),
                                                 mul(call.gradient(), call.input(1))};
                         }),
      rule_mutant<MulOp>("mul: second gradient missing", {s, s}, product,
                         [](const MulOp&, const RuleCall& call) {
                           return InputGradients{mul(call.gradient(), call.input(1)), Value()};
                         }),
      rule_mutant<MulOp>("mul: not accumulated when both operands are one", {s}, self_product,
                         [](const MulOp&, const RuleCall& call) {
                           return InputGradients{mul(call.gradient(), call.input(1)), Value()};
                         }),
      rule_mutant<MulOp>(
          "mul: broadcast gradient averaged instead of summed", {s, {3}}, product,
          [](const MulOp&, const RuleCall& call) {
            const Value b = mul(call.gradient(), call.input(0));
            return InputGradients{mul(call.gradient(), call.input(1)), mean(b, {0}, true)};
          }),
      rule_mutant<MulOp>("mul: a mask that is not wanted changes the other gradient", {s, s},
                         product,
                         [](const MulOp&, const RuleCall& call) {
                           const Value a = mul(call.gradient(), call.input(1));
                           return InputGradients{call.needs(1) ? a : mul(a, 2),
                                                 mul(call.gradient(), call.input(0))};
                         }),
      rule_mutant<MulOp>("mul: a thousandth too large in float16", {s, s}, product,
                         [](const MulOp&, const RuleCall& call) {
                           const bool coarse = call.gradient().dtype() == DType::float16;
                           const auto kept = [&](const Value& v) {
                             return coarse ? mul(v, 1.001) : v;
                           };
                           return InputGradients{kept(mul(call.gradient(), call.input(1))),
                                                 kept(mul(call.gradient(), call.input(0)))};
                         }),
      rule_mutant<MulNumberOp>(
          "muls: number forgotten", {s}, [](const auto& x) { return mul(x[0], 1.5); },
          [](const MulNumberOp&, const RuleCall& call) { return InputGradients{call.gradient()}; }),
      rule_mutant<AddNumberOp>(
          "adds: number multiplied", {s}, [](const auto& x) { return add(x[0], 1.5); },
          [](const AddNumberOp& op, const RuleCall& call) {
            return InputGradients{mul(call.gradient(), op.number)};
          }),
      rule_mutant<MatmulOp>("matmul: right factor not transposed", {square, square}, matrix,
                            [](const MatmulOp&, const RuleCall& call) {
                              return InputGradients{
                                  matmul(call.gradient(), call.input(1)),
                                  matmul(swapped(call.input(0)), call.gradient())};
                            }),
      rule_mutant<MatmulOp>("matmul: product in the wrong order", {square, square}, matrix,
                            [](const MatmulOp&, const RuleCall& call) {
                              return InputGradients{
                                  matmul(call.gradient(), swapped(call.input(1))),
                                  matmul(call.gradient(), swapped(call.input(0)))};
                            }),
      rule_mutant<MatmulOp>("matmul: result transposed", {square, square}, matrix,
                            [](const MatmulOp&, const RuleCall& call) {
                              return InputGradients{
                                  swapped(matmul(call.gradient(), swapped(call.input(1)))),
                                  matmul(swapped(call.input(0)), call.gradient())};
                            }),
      rule_mutant<AddmmOp>("addmm: alpha and beta exchanged", {square, square, square}, affine,
                           [](const AddmmOp& op, const RuleCall& call) {
                             const Value& g = call.gradient();
                             return InputGradients{mul(g, op.alpha),
                                                   mul(matmul(g, swapped(call.input(2))), op.beta),
                                                   mul(matmul(swapped(call.input(1)), g), op.beta)};
                           }),
      rule_mutant<AddmmOp>("addmm: bias takes the first row only", {{3}, s, square}, affine,
                           [](const AddmmOp& op, const RuleCall& call) {
                             const Value& g = call.gradient();
                             const Value half = mul(mean(g, {0}, true), op.beta);
                             return InputGradients{
                                 half, mul(matmul(g, swapped(call.input(2))), op.alpha),
                                 mul(matmul(swapped(call.input(1)), g), op.alpha)};
                           }),
      rule_mutant<MeanOp>(
          "mean: not divided", {s}, [](const auto& x) { return mean(x[0]); },
          [](const MeanOp&, const RuleCall& call) {
            return InputGradients{expand(reshape(call.gradient(), {1, 1}), call.input().shape())};
          }),
      rule_mutant<ReduceSumOp>(
          "sum: divided by the extent", {s},
          [](const auto& x) { return reduce_sum(x[0], {1}, true); },
          [](const ReduceSumOp&, const RuleCall& call) {
            return InputGradients{expand(mul(call.gradient(), 1.0 / 3), call.input().shape())};
          }),
      rule_mutant<PermuteOp>(
          "permute: order instead of its inverse", {{3, 3, 3}},
          [](const auto& x) {
            return contiguous(permute(x[0], {1, 2, 0}));
          },
          [](const PermuteOp& op, const RuleCall& call) {
            return InputGradients{permute(call.gradient(), op.order)};
          }),
      rule_mutant<ReshapeOp>(
          "reshape: gradient of the transposed shape", {s},
          [](const auto& x) {
            return mul(reshape(x[0], {3, 2}), 1.0);
          },
          [](const ReshapeOp&, const RuleCall& call) {
            return InputGradients{swapped(call.gradient())};
          }),
      rule_mutant<SeluOp>(
          "selu: given the input for the result", {s}, [](const auto& x) { return selu(x[0]); },
          [](const SeluOp&, const RuleCall& call) {
            return InputGradients{selu_backward(call.gradient(), call.input())};
          }),
      rule_mutant<GeluOp>(
          "gelu: the other form's backward", {s}, [](const auto& x) { return gelu(x[0]); },
          [](const GeluOp&, const RuleCall& call) {
            return InputGradients{gelu_backward(call.gradient(), call.input(), Approximate::tanh)};
          }),
      rule_mutant<GegluOp>(
          "geglu: the other half activated", {{2, 6}}, [](const auto& x) { return geglu(x[0]); },
          [](const GegluOp& op, const RuleCall& call) {
            return InputGradients{geglu_backward(call.gradient(), call.input(), call.output(1),
                                                 op.dim, op.approximate, !op.activate_left)};
          }),
      rule_mutant<MseLossOp>(
          "mse: gradient of the target not negated", {s, s},
          [](const auto& x) { return mse_loss(x[0], x[1]); },
          [](const MseLossOp& op, const RuleCall& call) {
            const Value g =
                mse_loss_backward(call.gradient(), call.input(0), call.input(1), op.reduction);
            return InputGradients{g, g};
          }),
      rule_mutant<LogSoftmaxOp>(
          "log softmax: along the other axis", {square},
          [](const auto& x) { return log_softmax(x[0], 1); },
          [](const LogSoftmaxOp&, const RuleCall& call) {
            return InputGradients{log_softmax_backward(call.gradient(), call.output(), 0)};
          }),
  };
}

}  // namespace aclgrad::mutants
