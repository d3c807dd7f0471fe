// SPDX-License-Identifier: Apache-2.0
// What no contract has of recurrent layers. Their numbers are in tests/cases, and beside PyTorch's
// in tests/autograd/pytorch.
#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using RecurrentTest = AclTest;

// Not even of y.
TEST_F(RecurrentTest, NoGradientsGiveZeros) {
  constexpr int64_t kSteps = 2, kBatch = 3, kUnits = 2, kKept = 7;
  const auto filled = [](const Shape& shape) {
    return Array(ACL_FLOAT, shape, {}, Values(static_cast<size_t>(element_count(shape)), 0.5L));
  };
  const Shape sequence{kSteps, kBatch, kUnits}, state{1, kBatch, kUnits};
  const Array x = filled(sequence), h0 = filled(state), c0 = filled(state);
  const Array w_ih = filled({4 * kUnits, kUnits}), w_hh = filled({4 * kUnits, kUnits});
  const Array dx = filled(sequence), dh0 = filled(state), dc0 = filled(state);
  const Array dw_ih = filled(w_ih.shape()), dw_hh = filled(w_hh.shape());
  std::vector<Array> arrays;
  for (int64_t k = 0; k < kKept; ++k) arrays.push_back(filled(sequence));
  const List hx{h0.tensor(), c0.tensor()}, params{w_ih.tensor(), w_hh.tensor()};
  const List k0{arrays[0].tensor()}, k1{arrays[1].tensor()}, k2{arrays[2].tensor()},
      k3{arrays[3].tensor()}, k4{arrays[4].tensor()}, k5{arrays[5].tensor()},
      k6{arrays[6].tensor()}, dparams{dw_ih.tensor(), dw_hh.tensor()};
  const aclTensor* const none = nullptr;
  const aclBoolArray* const no_mask = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnLstmBackward), x, hx, params, none, none, none, k0, k1, k2, k3, k4,
                   k5, k6, none, false, int64_t{1}, 0.0, true, false, false, no_mask, dx, dh0, dc0,
                   dparams));
  for (const Array* each : {&dx, &dh0, &dc0, &dw_ih, &dw_hh}) {
    EXPECT_EQ(each->values(), Values(static_cast<size_t>(each->count())));
  }
}

TEST_F(RecurrentTest, SequencesOfDifferentLengthsEndTheTask) {
  const Array x(ACL_FLOAT, {4, 1}, {1, 2, 3, 4}), state(ACL_FLOAT, {1, 2, 1}, {0, 0}),
      y(ACL_FLOAT, {4, 1}), hy(ACL_FLOAT, {1, 2, 1}), w(ACL_FLOAT, {3, 1}, {1, 1, 1});
  const List params{w.tensor(), w.tensor()};
  const aclTensorList* const none = nullptr;
  const auto run_with = [&](const Values& counts) {
    const Array sizes(ACL_INT64, {2}, {}, counts);
    return call(PHASES(aclnnGRU), x, params, state, sizes, false, int64_t{1}, 0.0, false, false,
                false, y, hy, none, none, none, none, none);
  };
  EXPECT_EQ(run_with({2, 2}), 0) << recent_message();
  EXPECT_NE(run_with({3, 1}), 0);
}

}  // namespace
}  // namespace aclgrad::testing
