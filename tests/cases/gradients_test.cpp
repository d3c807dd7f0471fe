// SPDX-License-Identifier: Apache-2.0
// Every backward row is the derivative of its forward row: the kernel, in double, against finite
// differences of the exact forward, at random points away from corners.
#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

// d/dx of sum(gradient * forward(x)) at every element of one input. Differences of fourth
// order: their error is about h^4, and the rounding of long double about 1e-19/h.
Array numeric_gradient(const Arguments& forward, const contract::Reference& differentiated,
                       Arrays inputs, size_t input, const Array& gradient) {
  constexpr long double kStep = 1e-3L;
  const size_t result = differentiated ? 0 : contract::differentiated_result(forward);
  const auto loss_at = [&](size_t i, long double value) {
    const long double before = std::exchange(inputs[input].values[i], value);
    const Arguments call = forward.in(ACL_DOUBLE);
    const Array out = (differentiated ? differentiated(call, inputs)
                                      : contract::results_of(call, inputs))[result];
    inputs[input].values[i] = before;
    long double loss = 0;
    for (size_t k = 0; k < out.values.size(); ++k) loss += out.values[k] * gradient.values[k];
    return loss;
  };
  Array numeric = inputs[input];
  for (size_t i = 0; i < numeric.values.size(); ++i) {
    const long double x = inputs[input].values[i];
    const long double near = loss_at(i, x + kStep) - loss_at(i, x - kStep);
    const long double far = loss_at(i, x + 2 * kStep) - loss_at(i, x - 2 * kStep);
    numeric.values[i] = (8 * near - far) / (12 * kStep);
  }
  return numeric;
}

class Gradients : public testing::AclTest, public ::testing::WithParamInterface<const Row*> {
 protected:
  void SetUp() override {
    AclTest::SetUp();
    aclgradSetAcceptDouble(1);
  }
};

// The place of the input that the first of the gradients is of.
size_t first_differentiated(const contract::Gradient& gradient, const Arguments& forward) {
  if (gradient.order.empty()) return 0;
  const std::vector<const contract::Parameter*> inputs = contract::inputs_of(forward);
  const auto found = std::ranges::find(inputs, gradient.order.front(), &contract::Parameter::name);
  return static_cast<size_t>(found - inputs.begin());
}

TEST_P(Gradients, BackwardIsTheDerivativeOfTheForward) {
  const Row& row = *GetParam();
  const Arguments backward = in_double(row.of_size(kTestSize));
  const Arguments forward = row.forward(kTestSize);
  const size_t result = contract::differentiated_result(forward);
  const size_t input = first_differentiated(*row.op().gradient, forward);
  constexpr size_t kEnough = 40;  // points, for formulas with branches
  size_t points = 0;
  for (uint64_t seed = 1; points < kEnough; ++seed) {
    Arrays inputs = draw_inputs(forward, ACL_DOUBLE, seed);
    for (long double& x : inputs[input].values) {
      for (long double corner : row.op().gradient->corners) {
        if (std::abs(x - corner) < 0.01L) x = corner + 0.02L;
      }
      x = static_cast<double>(x);  // what the kernel will read
    }
    const Arrays outputs = contract::results_of(forward.in(ACL_DOUBLE), inputs);
    Array gradient = outputs[result];
    for (size_t i = 0; i < gradient.values.size(); ++i) {
      gradient.values[i] = 0.5L + static_cast<long double>(i * 7 % 5) / 4;
    }
    const Arrays given = contract::backward_inputs(backward, inputs, outputs, gradient);
    const RunResult run = run_case(row, backward, ACL_DOUBLE, kAllContiguous, stream(), 0, &given);
    ASSERT_FALSE(run.outputs.empty());
    const Array numeric =
        numeric_gradient(forward, row.op().gradient->differentiated, inputs, input, gradient);
    ASSERT_EQ(run.outputs[0].values.size(), numeric.values.size());
    ASSERT_FALSE(numeric.values.empty());
    points += numeric.values.size();
    for (size_t i = 0; i < numeric.values.size(); ++i) {
      const long double scale = std::max(1e-3L, std::abs(numeric.values[i]));
      EXPECT_LE(std::abs(run.outputs[0].values[i] - numeric.values[i]) / scale, 1e-9L)
          << row.name() << " at x = " << static_cast<double>(inputs[input].values[i]) << ": "
          << static_cast<double>(run.outputs[0].values[i]) << " instead of "
          << static_cast<double>(numeric.values[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Gradients,
    ::testing::ValuesIn(cases_of(all_cases(), [](const Row& row) { return row.is_gradient(); })),
    test_name);

}  // namespace
}  // namespace aclgrad::cases
