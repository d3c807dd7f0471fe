// SPDX-License-Identifier: Apache-2.0
// An operator of one's own: CELU (Barron 2017), max(0, x) + min(0, a (e^(x/a) - 1)), as if the
// framework did not have it. It is one call of an aclnn operator with a name, attributes and a
// gradient rule of its own. Gradcheck checks the rule, and a second one that forgets the chain
// rule.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>
#include <aclnnop/aclnn_elu.h>

using namespace aclgrad;

namespace {

struct CeluAttributes {
  double a;
  auto arguments() const { return named({"a"}, a); }  // how listings show it
};

constexpr Declaration<CeluAttributes> kCelu = {
    "own_celu", ACLGRAD_C(aclnnElu), elementwise,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnEluGetWorkspaceSize(call.input(0), call.scalar(values.a), call.scalar(1),
                                      call.scalar(1 / values.a), call.output(0), end...);
    }};
using OwnCeluOp = DeclaredOp<kCelu>;

// What the program calls: checks the arguments and records a node.
Value own_celu(Operand x, double a) {
  Recorder record("own_celu", {x}, x.where);
  record.require_floating(0);
  record.require_value(a > 0, "a must be above 0, got {}", a);
  return record.add<OwnCeluOp>({a}, record.like(0));
}

// 1 for x > 0, e^(x/a) otherwise: another operator of the framework computes it.
InputGradients celu_rule(const OwnCeluOp& op, const RuleCall& call) {
  return {elu_backward(call.gradient(), call.input(), op.a, 1, 1 / op.a)};
}

// The factor 1 / a of the inner function is missing.
InputGradients careless_rule(const OwnCeluOp& op, const RuleCall& call) {
  return {elu_backward(call.gradient(), call.input(), op.a, 1, 1)};
}

gradcheck::Report check() {
  Graph graph;
  const Value x = graph.input("x", {3, 4});
  const Value w = graph.parameter("w", init::normal({4, 5}, 1));
  const Value y = own_celu(matmul(x, w), 1.5);
  return check_gradients(mean(mul(y, y)), {}, {{x, init::normal({3, 4}, 2)}});
}

}  // namespace

int main() {
  set_rule<OwnCeluOp>(celu_rule);
  const gradcheck::Report right = check();
  fmt::print("{}\n", right.to_string());

  const ScopedRule<OwnCeluOp> careless(careless_rule);
  const gradcheck::Report wrong = check();
  fmt::print("with a careless rule\n{}\n", wrong.to_string());

  Graph graph;
  try {
    own_celu(graph.input("x", {2}), -1);
  } catch (const ValueError& error) {
    fmt::print("{}\n", error.what());
  }
  fmt::print("{}\n", right.passed() && !wrong.passed() ? "One right, one caught." : "Unexpected!");
  return right.passed() && !wrong.passed() ? 0 : 1;
}
