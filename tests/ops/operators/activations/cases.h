// SPDX-License-Identifier: Apache-2.0
// The case table of the activation operators: every operator as a function of one number, its
// reference in long double, and how it is called. For backward operators the gradient is 1.
#ifndef ACLGRAD_TESTS_OPS_OPERATORS_ACTIVATIONS_CASES_H_
#define ACLGRAD_TESTS_OPS_OPERATORS_ACTIVATIONS_CASES_H_

#include <functional>
#include <string>
#include <vector>

#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::testing {

struct Case {
  std::string name;
  // Fills `out` from x of the same shape and dtype; returns the first status that is not 0.
  std::function<aclnnStatus(aclrtStream stream, const Array& x, const Array& out)> run;
  // The exact formula, limits at the infinities included; NaN is the caller's business.
  std::function<long double(long double x)> reference;
  // False where run copies its arguments together and takes one-dimensional tensors only.
  bool takes_any_layout = true;
};

std::vector<Case> activation_cases();

// The row of that name.
Case activation_case(const std::string& name);

// What the operators' ELU rows are called with.
inline constexpr float kEluAlpha = 1.5f;
inline constexpr float kEluScale = 1.25f;
inline constexpr float kEluInputScale = 0.75f;

// References that other tests need too.
long double gelu_erf(long double x);
long double gelu_tanh(long double x);
long double gelu_erf_slope(long double x);
long double gelu_tanh_slope(long double x);
long double selu(long double x);

inline constexpr long double kSeluLambda = 1.0507009873554804934193349852946L;
inline constexpr long double kSeluLambdaAlpha = 1.7580993408473768599402175208123L;

// A contiguous tensor of ones with the shape and dtype of `like`.
Array ones_like(const Array& like);

}  // namespace aclgrad::testing

#endif  // ACLGRAD_TESTS_OPS_OPERATORS_ACTIVATIONS_CASES_H_
