// SPDX-License-Identifier: Apache-2.0
// ELU's kernels in float against its kernels in double, on every 16-bit pattern and for parameters
// of every kind that the float ones tell apart: all 1, short ones (products with elements are often
// ties), such with all the digits of a float, and those of which products with each other or with
// elements just are floats or are not.
#include <gtest/gtest.h>

#include "ops/activation/elu_kernel.h"
#include "tests/ops/support/native_kernels.h"

namespace aclgrad::ops {
namespace {

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

void compare(aclDataType dtype) {
  const Numbers x = all_patterns(dtype);
  for (const Parameters& p : kParameters) {
    const EluFunction f = p.function();
    SCOPED_TRACE(testing::Message() << p.alpha << " " << p.scale << " " << p.input_scale);
    EXPECT_TRUE(agrees_with_double(elu_kernel(f), {x}));
    for (const double gradient : kGradients) {
      SCOPED_TRACE(gradient);
      Numbers g(dtype, kPatterns);
      for (size_t i = 0; i < kPatterns; ++i) g.set(i, gradient);
      EXPECT_TRUE(agrees_with_double(elu_backward_kernel(f, false), {g, x}));
      EXPECT_TRUE(agrees_with_double(elu_backward_kernel(f, true), {g, x}));
    }
  }
}

TEST(EluParameters, Bfloat16ResultsAreTheNearest) { compare(ACL_BF16); }
TEST(EluParameters, Float16ResultsAreTheNearest) { compare(ACL_FLOAT16); }

TEST(EluParameters, OthersThanPositiveModerateOnesStayInDouble) {
  for (const Parameters& p :
       {Parameters{-1, 1, 1}, {1, 0, 1}, {1, 1, -2}, {1e30f, 1, 1}, {1, 1, INFINITY}}) {
    EXPECT_FALSE(elu_kernel(p.function()).native);
    EXPECT_FALSE(elu_backward_kernel(p.function(), true).native);
  }
}

}  // namespace
}  // namespace aclgrad::ops
