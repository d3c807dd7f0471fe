// SPDX-License-Identifier: Apache-2.0
// Refusals whose sentence once blamed another argument, or none: it names what is wrong, what came
// and what would do.
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_im2col_backward.h"
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell_backward.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class Refusals : public AclTest {
 protected:
  aclnnStatus expand(const Shape& from, const Shape& size, const Shape& to) {
    const Array self(ACL_FLOAT, from), out(ACL_FLOAT, to);
    const IntArray sizes(size);
    return call(PHASES(aclnnExpand), self, sizes, out);
  }
};

TEST_F(Refusals, ExpandNamesTheEntry) {
  expect_failure(expand({2, 3}, {2, 4}, {2, 4}),
                 "entry 1 of size [2, 4] must be 3, or -1 for that for self [2, 3], but is 4",
                 161002);
  expect_failure(expand({3}, {-1, 3}, {1, 3}),
                 "entry 0 of size [-1, 3] must be 0 or more, as the dimension is new", 161002);
  expect_failure(expand({2, 3}, {3}, {3}), "size must have 2 to 8 entries", 161002);
  EXPECT_EQ(expand({1, 3}, {2, 5, -1}, {2, 5, 3}), 0) << recent_message();
}

TEST_F(Refusals, MaskedSelectSaysHowMuchRoomItNeeds) {
  const Array self(ACL_FLOAT, {2, 3}), mask(ACL_BOOL, {3}, {1, 0, 1}), out(ACL_FLOAT, {4});
  expect_failure(call(PHASES(aclnnMaskedSelect), self, mask, out),
                 "tensor out must have size [6], room for all elements of self [2, 3]", 161002);
}

TEST_F(Refusals, Im2colBackwardCountsTheValues) {
  const Array gradient(ACL_FLOAT, {1, 4, 9}), out(ACL_FLOAT, {1, 1, 4, 4});
  const IntArray sizes({4, 4}), three({2, 2, 2}), one({1}), none({0}), more({1, 4, 4});
  expect_failure(call(PHASES(aclnnIm2colBackward), gradient, sizes, three, one, none, one, out),
                 "kernelSize must have one value for height and width, or two, but has 3", 161002);
  expect_failure(call(PHASES(aclnnIm2colBackward), gradient, more, one, one, none, one, out),
                 "inputSize must have two values, height and width, but has 3", 161002);
}

// Six rows are sequences of 3, 2 and 1 steps, and hx says that there are three.
TEST_F(Refusals, RaggedSequencesAreCalledSo) {
  const Array input(ACL_FLOAT, {6, 2}), hx(ACL_FLOAT, {1, 3, 4}), sizes(ACL_INT64, {3}, {3, 2, 1});
  const Array of_input(ACL_FLOAT, {12, 2}), of_state(ACL_FLOAT, {12, 4});
  const Array y(ACL_FLOAT, {6, 4}), hy(ACL_FLOAT, {1, 3, 4});
  const List params(std::vector<const aclTensor*>{of_input.tensor(), of_state.tensor()});
  const aclTensorList* const none = nullptr;
  expect_failure(call(PHASES(aclnnGRU), input, params, hx, sizes, false, int64_t{1}, 0.0, false,
                      false, false, y, hy, none, none, none, none, none),
                 "tensor input [6, 2] must have 9 rows for the 3 sequences of tensor hx [1, 3, 4] "
                 "and 3 steps in batchSizesOptional: sequences of different lengths",
                 161002);
}

TEST_F(Refusals, TheGradientOfACellNamesBothGradients) {
  const Array c(ACL_FLOAT, {2, 3}), gates(ACL_FLOAT, {2, 12});
  const aclTensor* const none = nullptr;
  aclTensor* const no_bias = nullptr;
  expect_failure(call(PHASES(aclnnThnnFusedLstmCellBackward), none, none, c, c, gates, false, gates,
                      c, no_bias),
                 "argument gradHyOptional must not be null where gradCyOptional is, but both are",
                 161001);
}

}  // namespace
}  // namespace aclgrad::testing
