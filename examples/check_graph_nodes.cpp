// SPDX-License-Identifier: Apache-2.0
// Checks an operator made of graph nodes, in every dtype, with every needs-gradient mask, used once
// and twice.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>
#include <aclgrad/gradcheck/graph.h>

using namespace aclgrad;
namespace gc = aclgrad::gradcheck;

namespace {

// A gated linear unit with a bias: gelu(x w) times (x v + b).
Value gated(const std::vector<Value>& in) {
  const Value& x = in[0];
  return mul(gelu(matmul(x, in[1])), add(matmul(x, in[2]), in[3]));
}

}  // namespace

int main() {
  const std::vector<contract::Parameter> inputs = {
      gc::input("x", {3, 4}, -1, 1), gc::input("w", {4, 5}, -1, 1), gc::input("v", {4, 5}, -1, 1),
      gc::input("b", {5}, -1, 1)};
  gc::Report report = gc::check_operator(gc::from_graph("gated", inputs, gated, 16));
  report.add(gc::check_operator(gc::from_graph("gated twice", inputs, gc::used_twice(gated), 16)));
  fmt::print("{}\n", report.to_string());

  // A rule that forgets that the bias was broadcast: the mean over the rows for their sum.
  const ScopedRule<AddOp> wrong([](const AddOp&, const RuleCall& call) {
    return InputGradients{call.gradient(), mean(call.gradient(), {0}, true)};
  });
  const gc::Report caught = gc::check_operator(gc::from_graph("gated", inputs, gated, 16));
  fmt::print("with a broken rule\n{}\n", caught.findings.at(0).to_string());
  fmt::print("{}\n",
             report.passed() && !caught.passed() ? "One right, one caught." : "Unexpected!");
  return report.passed() && !caught.passed() ? 0 : 1;
}
