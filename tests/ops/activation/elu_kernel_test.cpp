// SPDX-License-Identifier: Apache-2.0
// ELU's kernels in float against its kernels in double, on every 16-bit pattern and for parameters
// of every kind that the float ones tell apart: all 1, short ones (products with elements are often
// ties), such with all the digits of a float, and those of which products with each other or with
// elements just are floats or are not.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "ops/activation/elu_kernel.h"
#include "ops/engine/dtype/formats.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kPatterns = 65536;
struct Parameters {
  float alpha;
  float scale;
  float input_scale;

  EluFunction function() const { return EluFunction::of(alpha, scale, input_scale); }
};
constexpr Parameters kParameters[] = {
    {1, 1, 1},        {1.25f, 0.75f, 1.5f},   {1.1f, 1, 1},
    {1.25f, 1.1f, 1}, {2, 1.1f, 0x1p-15f},    {1, 1, 0x1p-16f},
    {1, 1, 1.1f},     {2, 1.1f, 0.5f},        {1.1f, 0.9f, 1.3f},
    {2, 3, 5},        {0.5f, 1, 0x1.fffep0f}, {0.5f, 1, 0x1.ffffp0f}};
// The last ones are for BF16: beside the smallest numbers floats hold less of a product, and two
// floats hold less of a slope than may be needed.
constexpr double kGradients[] = {0.0,          -0.0,       1.0,       -1.25,       0.3,
                                 1.5e-5,       -7e-8,      250.0,     0x1.f4p-124, 0x15p-133,
                                 -0x1.02p-101, 0x1.fep127, 0x1.ep-116};

template <class Element>
std::vector<Element> all_patterns() {
  std::vector<Element> result(kPatterns);
  for (size_t i = 0; i < kPatterns; ++i) result[i].bits = static_cast<uint16_t>(i);
  return result;
}

// Counts the results of the float kernel that are not the double one's, rounded.
template <class Element>
size_t count_differences(const FloatKernel& both, aclDataType dtype,
                         const std::vector<std::vector<Element>>& inputs) {
  std::vector<Element> actual(kPatterns);
  std::vector<const void*> in;
  for (const std::vector<Element>& input : inputs) in.push_back(input.data());
  void* out = actual.data();
  const std::vector<int64_t> steps(in.size(), 0);
  both.native({dtype, in.data(), &out, kPatterns, false, 1, steps.data(), steps.data()});

  std::vector<double> exact;
  alignas(64) double from[2][kBlock];
  alignas(64) double to[kBlock];
  const double* sources[] = {from[0], from[1]};
  double* target = to;
  for (size_t begin = 0; begin < kPatterns; begin += kBlock) {
    for (size_t k = 0; k < inputs.size(); ++k) {
      for (size_t i = 0; i < kBlock; ++i) from[k][i] = real_part(inputs[k][begin + i]);
    }
    both.exact(sources, &target, kBlock);
    exact.insert(exact.end(), to, to + kBlock);
  }
  size_t differences = 0;
  for (size_t i = 0; i < kPatterns; ++i) {
    const Element expected = from_parts<Element>(exact[i], 0.0);
    const bool both_nan = std::isnan(real_part(expected)) && std::isnan(real_part(actual[i]));
    if (expected.bits == actual[i].bits || both_nan) continue;
    if (differences++ == 0) {
      ADD_FAILURE() << "pattern " << i << ": " << real_part(actual[i]) << " instead of "
                    << real_part(expected);
    }
  }
  return differences;
}

template <class Element>
void compare(aclDataType dtype) {
  const std::vector<Element> x = all_patterns<Element>();
  for (const Parameters& p : kParameters) {
    const EluFunction f = p.function();
    SCOPED_TRACE(testing::Message() << p.alpha << " " << p.scale << " " << p.input_scale);
    EXPECT_EQ(count_differences<Element>(elu_kernel(f), dtype, {x}), 0u);
    for (const double gradient : kGradients) {
      SCOPED_TRACE(gradient);
      const std::vector<Element> g(kPatterns, from_parts<Element>(gradient, 0.0));
      EXPECT_EQ(count_differences<Element>(elu_backward_kernel(f, false), dtype, {g, x}), 0u);
      EXPECT_EQ(count_differences<Element>(elu_backward_kernel(f, true), dtype, {g, x}), 0u);
    }
  }
}

TEST(EluParameters, Bfloat16ResultsAreTheNearest) { compare<Bfloat16>(ACL_BF16); }
TEST(EluParameters, Float16ResultsAreTheNearest) { compare<Float16>(ACL_FLOAT16); }

TEST(EluParameters, OthersThanPositiveModerateOnesStayInDouble) {
  for (const Parameters& p :
       {Parameters{-1, 1, 1}, {1, 0, 1}, {1, 1, -2}, {1e30f, 1, 1}, {1, 1, INFINITY}}) {
    EXPECT_FALSE(elu_kernel(p.function()).native);
    EXPECT_FALSE(elu_backward_kernel(p.function(), true).native);
  }
}

}  // namespace
}  // namespace aclgrad::ops
