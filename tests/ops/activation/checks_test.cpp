// SPDX-License-Identifier: Apache-2.0
// Checks that depend on several arguments. All of them, and their order: docs/reference/checks.md.
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::testing {
namespace {

class Checks : public AclTest {};

TEST_F(Checks, EluBackwardTakesNegativeAlphaOnlyForInputs) {
  const Array tensor(ACL_FLOAT, {2});
  const Array empty(ACL_FLOAT, {0});
  const Scalar one(1.0f);
  const auto status = [&](float value, bool is_result, const Array& each) {
    const Scalar alpha(value);
    return plan(aclnnEluBackwardGetWorkspaceSize, each, alpha, one, one, is_result, each, each)
        .status;
  };
  EXPECT_EQ(status(-1, true, tensor), 161002);
  EXPECT_EQ(status(-1, false, tensor), 0);
  EXPECT_EQ(status(-0.0f, true, tensor), 0);
  EXPECT_EQ(status(std::numeric_limits<float>::quiet_NaN(), true, tensor), 0);
  EXPECT_EQ(status(-1, true, empty), 161002) << "also for empty tensors";
}

TEST_F(Checks, GeGluBackwardRefusesAnOddSplit) {
  const Array self(ACL_FLOAT, {5});
  const Array half(ACL_FLOAT, {2});
  EXPECT_TRUE(fails_with(
      161002, {"aclnnGeGluBackward", "half"},
      plan(aclnnGeGluBackwardGetWorkspaceSize, half, self, half, int64_t{0}, int64_t{0}, self)));
}

}  // namespace
}  // namespace aclgrad::testing
