// SPDX-License-Identifier: Apache-2.0
// What no contract has of GEGLU: its gradient in place, its rounding, and the
// corners of its shape rules.
#include <functional>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::testing {
namespace {

Shape halved(Shape shape, size_t axis) {
  shape[axis] /= 2;
  return shape;
}

std::vector<long double> sample(int count, long double from, long double step) {
  std::vector<long double> values;
  for (int i = 0; i < count; ++i) values.push_back(from + step * ((i * 37) % count));
  return values;
}

// Strides of a transposed tensor: the last dimension is the slowest.
Array::Layout transposed(const Shape& shape) {
  Array::Layout layout;
  int64_t step = 2;
  for (const int64_t size : shape) {
    layout.strides.push_back(step);
    step *= size;
  }
  layout.offset = 3;
  return layout;
}

struct Variant {
  int64_t dim;
  int64_t approximate;
  bool activate_left;
  bool strided;
};

std::vector<Variant> variants() {
  std::vector<Variant> result;
  for (int64_t dim : {0, 1}) {
    for (const int64_t approximate : {0, 1}) {
      for (const bool left : {false, true}) {
        for (const bool strided : {false, true})
          result.push_back({dim, approximate, left, strided});
      }
    }
  }
  return result;
}

class GeGlu : public AclTest {};

// gradInput may be exactly self, as in a session.
TEST_F(GeGlu, BackwardInPlace) {
  const Shape shape{66, 120};
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Variant& v : variants()) {
      const Shape half = halved(shape, static_cast<size_t>(v.dim));
      const auto layout = [&](const Shape& of) {
        return v.strided ? transposed(of) : Array::Layout{};
      };
      const Array gradient(dtype, half, layout(half), sample(997, -2, 0.005L));
      const Array self(dtype, shape, layout(shape), sample(1999, -5, 0.005L));
      const Array gelu(dtype, half, layout(half), sample(499, 0, 0.01L));
      const auto backward = [&](const Array& grad_input) {
        return call(PHASES(aclnnGeGluV3Backward), gradient, self, gelu, v.dim, v.approximate,
                    v.activate_left, grad_input);
      };
      const Array elsewhere(dtype, shape, layout(shape));
      ASSERT_EQ(backward(elsewhere), 0) << recent_message();
      ASSERT_EQ(backward(self), 0) << recent_message();
      ASSERT_EQ(self.values(), elsewhere.values())
          << dtype << " " << v.dim << " " << v.approximate << v.activate_left << v.strided;
    }
  }
}

TEST_F(GeGlu, EmptySelfSucceedsAndComparesNoDtypes) {
  const Array self(ACL_FLOAT, {3, 0, 4});
  const Array out(ACL_FLOAT16, {3, 0, 2});
  const Array out_gelu(ACL_BF16, {3, 0, 2});
  EXPECT_TRUE(runs(PHASES(aclnnGeGluV3), self, int64_t{2}, int64_t{0}, true, out, out_gelu));
  // A size of 0 along the split itself.
  const Array flat(ACL_FLOAT, {3, 0});
  EXPECT_TRUE(runs(PHASES(aclnnGeGlu), flat, int64_t{-1}, int64_t{1}, flat, flat));
  // The shape rules hold all the same.
  const Array wrong(ACL_FLOAT, {3, 0, 3});
  EXPECT_TRUE(fails_with(
      161002, {"aclnnGeGluV3", "out", "dimension 2"},
      plan(aclnnGeGluV3GetWorkspaceSize, self, int64_t{2}, int64_t{0}, true, wrong, out_gelu)));
}

TEST_F(GeGlu, ZeroDimensionalSelfWantsEmptyOneDimensionalOutputs) {
  const Array self(ACL_FLOAT, {}, {1});
  const Array empty(ACL_FLOAT, {0});
  const Array scalar(ACL_FLOAT, {});
  const Array one(ACL_FLOAT, {1});
  const Array two_dimensional(ACL_FLOAT, {0, 1});
  const auto forward = [&](const Array& out, const Array& out_gelu, int64_t dim) {
    return plan(aclnnGeGluV3GetWorkspaceSize, self, dim, int64_t{0}, true, out, out_gelu);
  };
  EXPECT_EQ(forward(empty, empty, 0).status, 0);
  EXPECT_EQ(forward(empty, empty, -1).status, 0);
  EXPECT_TRUE(fails_with(161002, {"dim"}, forward(empty, empty, 1)));
  EXPECT_TRUE(fails_with(161002, {"out"}, forward(one, empty, 0)));
  EXPECT_TRUE(fails_with(161002, {"outGelu"}, forward(empty, one, 0)));
  EXPECT_TRUE(fails_with(161002, {"out", "1 dimension"}, forward(scalar, empty, 0)));
  EXPECT_TRUE(fails_with(161002, {"outGelu"}, forward(empty, two_dimensional, 0)));

  const auto backward = [&](const Array& gradient) {
    return plan(aclnnGeGluV3BackwardGetWorkspaceSize, gradient, self, gradient, int64_t{0},
                int64_t{0}, true, self);
  };
  EXPECT_EQ(backward(empty).status, 0);
  EXPECT_TRUE(fails_with(161002, {"gradOutput"}, backward(one)));
  EXPECT_TRUE(fails_with(161002, {"gradOutput"}, backward(scalar)));
}

TEST_F(GeGlu, EmptyGradientSucceeds) {
  const Array gradient(ACL_FLOAT, {0, 2});
  const Array self(ACL_FLOAT, {0, 4});
  EXPECT_TRUE(
      runs(PHASES(aclnnGeGluBackward), gradient, self, gradient, int64_t{1}, int64_t{0}, self));
}

}  // namespace
}  // namespace aclgrad::testing
