// SPDX-License-Identifier: Apache-2.0
// Modes of aclnnForeachRoundOffNumber and its V2, and the other functions' values at special
// places.
#include "aclnnop/aclnn_foreach_lerp_scalar.h"
#include "aclnnop/aclnn_foreach_pow_scalar_and_tensor.h"
#include "aclnnop/aclnn_foreach_round_off_number.h"
#include "aclnnop/aclnn_foreach_round_off_number_v2.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class ForeachRounding : public AclTest {};

TEST_F(ForeachRounding, ByTheFiveModes) {
  const Values x = {0.5L, 1.5L, -2.5L, -1.25L, -0.5L};
  const std::vector<std::pair<int64_t, Values>> modes = {{1, {0, 2, -2, -1, -0.0L}},
                                                         {2, {0, 1, -3, -2, -1}},
                                                         {3, {1, 2, -2, -1, -0.0L}},
                                                         {5, {0, 1, -2, -1, -0.0L}},
                                                         {7, {0.5L, 0.5L, -0.5L, -0.25L, -0.5L}}};
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Array in(dtype, {5}, Array::Layout{}, x);
    const Array out(dtype, {5});
    const List from{in.tensor()}, to{out.tensor()};
    for (const auto& [mode, wanted] : modes) {
      ASSERT_EQ(call(PHASES(aclnnForeachRoundOffNumberV2), from, Scalar(mode), to), 0)
          << recent_message();
      expect_same(out, wanted);
      const Array on_device(ACL_INT8, {1}, {static_cast<long double>(mode)});
      ASSERT_EQ(call(PHASES(aclnnForeachRoundOffNumber), from, on_device, to), 0)
          << recent_message();
      expect_same(out, wanted);
    }
  }
}

TEST_F(ForeachRounding, NoOtherMode) {
  const Array x(ACL_FLOAT, {1}, {1.5L});
  const List list{x.tensor()};
  for (const int64_t mode : {0, 4, 6, 8, -1}) {
    EXPECT_TRUE(
        fails_with(161002, {"roundMode", std::to_string(mode)},
                   plan(aclnnForeachRoundOffNumberV2GetWorkspaceSize, list, Scalar(mode), list)));
    const Array on_device(ACL_INT8, {1}, {static_cast<long double>(mode)});
    EXPECT_NE(call(PHASES(aclnnForeachRoundOffNumber), list, on_device, list), 0) << mode;
    EXPECT_EQ(x.get(0), 1.5L);
  }
}

TEST_F(ForeachRounding, PowersOfANumberAndWeightedMeans) {
  const Array x(ACL_FLOAT, {2}, {3, -1}), whole(ACL_INT32, {2}, {3, -1});
  const List floats{x.tensor()}, integers{whole.tensor()};
  ASSERT_EQ(call(PHASES(aclnnForeachPowScalarAndTensor), Scalar(2.0), floats, floats), 0);
  EXPECT_EQ(x.values(), (Values{8, 0.5L}));
  ASSERT_EQ(call(PHASES(aclnnForeachPowScalarAndTensor), Scalar(int64_t{2}), integers, integers),
            0);
  EXPECT_EQ(whole.values(), (Values{8, 0}));
  const Array zero(ACL_FLOAT, {1}, {0}), ten(ACL_FLOAT, {1}, {10}), out(ACL_FLOAT, {1});
  for (const float weight : {0.25F, 0.75F}) {
    ASSERT_EQ(call(PHASES(aclnnForeachLerpScalar), List{zero.tensor()}, List{ten.tensor()},
                   Scalar(weight), List{out.tensor()}),
              0);
    EXPECT_EQ(out.get(0), 10 * weight);
  }
}

}  // namespace
}  // namespace aclgrad::testing
