// SPDX-License-Identifier: Apache-2.0
// Is a gradient right? Checks a network with every activation against finite differences, then
// breaks a gradient rule on purpose to show what a failure looks like.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <functional>

using namespace aclgrad;

namespace {

// A loss that uses the activation between two matrix products.
gradcheck::Report check(const std::function<Value(const Value&)>& activation, std::int64_t width) {
  Graph graph;
  const Value x = graph.input("x", {3, 4});
  const Value w1 = graph.parameter("w1", init::normal({4, width}, 1, 0.7));
  const Value w2 = graph.parameter("w2", init::normal({6, 2}, 2));
  const Value y = matmul(activation(matmul(x, w1)), w2);
  return check_gradients(mean(mul(y, y)), {}, {{x, init::normal({3, 4}, 3)}});
}

}  // namespace

int main() {
  struct Row {
    const char* name;
    std::function<Value(const Value&)> activation;
    std::int64_t width = 6;
  };
  const std::vector<Row> rows = {
      {"selu", [](const Value& v) { return selu(v); }},
      {"elu, alpha 1.5", [](const Value& v) { return elu(v, 1.5); }},
      {"hardswish", [](const Value& v) { return hardswish(v); }},
      {"geglu, erf form", [](const Value& v) { return geglu(v); }, 12},
      {"geglu, tanh form, left half activated",
       [](const Value& v) { return geglu(v, -1, Approximate::tanh, true); }, 12}};
  bool all_passed = true;
  for (const Row& row : rows) {
    const gradcheck::Report report = check(row.activation, row.width);
    all_passed = all_passed && report.passed();
    fmt::print("{}\n{}\n", row.name, report.to_string());
  }

  // The rule of a careless author: SELU's derivative without its factor lambda.
  const ScopedRule<SeluOp> wrong([](const SeluOp&, const RuleCall& call) {
    constexpr double kLambda = 1.0507009873554805;
    return InputGradients{mul(selu_backward(call.gradient(), call.output()), 1 / kLambda)};
  });
  const gradcheck::Report broken = check([](const Value& v) { return selu(v); }, 6);
  fmt::print("selu with lambda forgotten in its gradient\n{}\n", broken.to_string());
  fmt::print("{}\n", all_passed && !broken.passed() ? "As it should be: five right, one caught."
                                                    : "Something is wrong with this library!");
  return all_passed && !broken.passed() ? 0 : 1;
}
