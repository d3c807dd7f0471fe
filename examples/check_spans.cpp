// SPDX-License-Identifier: Apache-2.0
// Checks a backward written as a plain function over spans. The forward is a formula for any number
// type: gradcheck differentiates it numerically and confirms that with dual numbers.
#include <aclgrad/gradcheck/operator.h>
#include <fmt/format.h>

#include <cmath>

using namespace aclgrad;
namespace gc = aclgrad::gradcheck;

namespace {

// Mish (Misra 2019): x tanh(log(1 + e^x)).
struct Mish {
  template <class T>
  T operator()(const T& x) const {
    using std::exp, std::log1p, std::tanh;
    return x * tanh(log1p(exp(x)));
  }
};

void mish_backward(std::span<const float> grad, std::span<const float> x, std::span<float> dx) {
  for (std::size_t i = 0; i < dx.size(); ++i) {
    const double t = std::tanh(std::log1p(std::exp(static_cast<double>(x[i]))));
    const double logistic = 1 / (1 + std::exp(-static_cast<double>(x[i])));
    dx[i] = static_cast<float>(grad[i] * (t + x[i] * (1 - t * t) * logistic));
  }
}

// The gradient above with the last factor forgotten.
void careless_backward(std::span<const float> grad, std::span<const float> x, std::span<float> dx) {
  for (std::size_t i = 0; i < dx.size(); ++i) {
    const double t = std::tanh(std::log1p(std::exp(static_cast<double>(x[i]))));
    dx[i] = static_cast<float>(grad[i] * (t + x[i] * (1 - t * t)));
  }
}

gc::Report check(void (*backward)(std::span<const float>, std::span<const float>,
                                  std::span<float>)) {
  gc::Candidate candidate(gc::elementwise("mish", Mish(), -6, 6),
                          gc::from_spans<2, 1, float>(backward));
  candidate.strided = false;  // spans are contiguous
  return gc::check_operator(candidate, {.dtypes = {DType::float32}});
}

}  // namespace

int main() {
  const gc::Report right = check(mish_backward);
  fmt::print("mish\n{}\n", right.to_string());
  const gc::Report wrong = check(careless_backward);
  fmt::print("mish, careless\n{}\n", wrong.findings.at(0).to_string());
  fmt::print("{}\n", right.passed() && !wrong.passed() ? "One right, one caught." : "Unexpected!");
  return right.passed() && !wrong.passed() ? 0 : 1;
}
