// SPDX-License-Identifier: Apache-2.0
// Recurrent cells and layers: numbers of PyTorch's, and what no contract has of them.
#include <optional>

#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell_backward.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

Array filled(const Shape& shape, const Values& values, aclDataType dtype = ACL_FLOAT) {
  Array array(dtype, shape);
  array.fill(values);
  return array;
}

List list_of(const std::vector<Array>& arrays) {
  std::vector<const aclTensor*> tensors;
  for (const Array& each : arrays) tensors.push_back(each.tensor());
  return List(tensors);
}

// Of a forward with train, and its backward. A GRU has no c0.
struct LayerCall {
  bool is_lstm;
  int64_t layers;
  bool bidirectional, batch_first;
  Array input, h0, c0;
  std::vector<Array> params;  // with biases
};

struct LayerResults {
  Array y, hy, cy, dx, dh0, dc0;
  std::vector<Array> dparams = {};
};

class RecurrentTest : public AclTest {
 protected:
  // Without gradients of y an LSTM is given none at all.
  LayerResults run(const LayerCall& c, const std::optional<Values>& of_y) {
    Shape output = c.input.shape();
    output.back() = c.h0.shape()[2] * (c.bidirectional ? 2 : 1);
    const Shape state = c.h0.shape();
    LayerResults r{{ACL_FLOAT, output},          {ACL_FLOAT, state}, {ACL_FLOAT, state},
                   {ACL_FLOAT, c.input.shape()}, {ACL_FLOAT, state}, {ACL_FLOAT, state}};
    for (const Array& each : c.params) r.dparams.emplace_back(ACL_FLOAT, each.shape());
    const size_t first = c.batch_first ? 1 : 0;
    const Shape sequence{c.input.shape()[first], c.input.shape()[1 - first], state[2]};
    std::vector<Array> kept;
    for (int64_t k = 0; k < 7 * state[0]; ++k) kept.emplace_back(ACL_FLOAT, sequence);
    const auto list = [&](int64_t k) {
      const auto begin = kept.begin() + k * state[0];
      std::vector<const aclTensor*> tensors;
      for (auto each = begin; each != begin + state[0]; ++each) tensors.push_back(each->tensor());
      return List(tensors);
    };
    const List params = list_of(c.params), dparams = list_of(r.dparams), k0 = list(0), k1 = list(1),
               k2 = list(2), k3 = list(3), k4 = list(4), k5 = list(5), k6 = list(6),
               hx{c.h0.tensor(), c.c0.tensor()};
    Array gradient(ACL_FLOAT, output);
    if (of_y) gradient.fill(*of_y);
    const Array zeros = filled(state, Values(static_cast<size_t>(r.hy.count())));
    const aclTensor* const none = nullptr;
    const aclBoolArray* const no_mask = nullptr;
    if (c.is_lstm) {
      EXPECT_TRUE(runs(PHASES(aclnnLSTM), c.input, params, hx, none, true, c.layers, 0.0, true,
                       c.bidirectional, c.batch_first, r.y, r.hy, r.cy, k0, k1, k2, k3, k4, k5,
                       k6));
      EXPECT_TRUE(runs(PHASES(aclnnLstmBackward), c.input, hx, params,
                       of_y ? gradient.tensor() : none, none, none, k0, k1, k2, k3, k4, k5, k6,
                       none, true, c.layers, 0.0, true, c.bidirectional, c.batch_first, no_mask,
                       r.dx, r.dh0, r.dc0, dparams));
      return r;
    }
    EXPECT_TRUE(runs(PHASES(aclnnGRU), c.input, params, c.h0, none, true, c.layers, 0.0, true,
                     c.bidirectional, c.batch_first, r.y, r.hy, k0, k1, k2, k3, k4));
    EXPECT_TRUE(runs(PHASES(aclnnGRUBackward), c.input, params, c.h0, gradient, zeros, k0, k1, k2,
                     k3, k4, none, true, c.layers, c.bidirectional, c.batch_first, r.dx, r.dh0,
                     dparams));
    return r;
  }
};

TEST_F(RecurrentTest, CellOfOneUnit) {
  const Array input(ACL_FLOAT, {1, 4}, {0.5L, -0.5L, 1, 0.2L}),
      hidden(ACL_FLOAT, {1, 4}, {0.1L, 0.3L, -0.4L, 0}), cx(ACL_FLOAT, {1, 1}, {0.7L}),
      input_bias(ACL_FLOAT, {4}, {0.1L, 0, 0, 0}), hidden_bias(ACL_FLOAT, {4}, {0, 1, 0, 0}),
      hy(ACL_FLOAT, {1, 1}), cy(ACL_FLOAT, {1, 1}), storage(ACL_FLOAT, {1, 4});
  ASSERT_TRUE(runs(PHASES(aclnnThnnFusedLstmCell), input, hidden, cx, input_bias, hidden_bias, hy,
                   cy, storage));
  expect_near(hy, {0.377614L});
  expect_near(cy, {0.841832L});
  expect_near(storage, {0.668188L, 0.689974L, 0.537050L, 0.549834L});
  const Array of_hy(ACL_FLOAT, {1, 1}, {1}), of_cy(ACL_FLOAT, {1, 1}, {0.5L}),
      gates(ACL_FLOAT, {1, 4}), of_cx(ACL_FLOAT, {1, 1}), of_bias(ACL_FLOAT, {4});
  ASSERT_TRUE(runs(PHASES(aclnnThnnFusedLstmCellBackward), of_hy, of_cy, cx, cy, storage, true,
                   gates, of_cx, of_bias));
  const Values expected = {0.094125L, 0.118366L, 0.375856L, 0.169989L};
  expect_near(gates, expected);
  expect_near(of_bias, expected);
  expect_near(of_cx, {0.545423L});
}

// Of torch.nn.LSTM and torch.nn.GRU of PyTorch 1.13 in double, with 2 inputs and 2 units: y, and
// the gradients of x, of h0 and of the last bias that arrive from a weighted sum of y.
struct TorchNumbers {
  int64_t layers;
  bool bidirectional, batch_first;
  Values y = {}, dx = {}, dh0 = {}, dbias = {};
};

Array numbers(int64_t seed, const Shape& shape) {
  Array array(ACL_FLOAT, shape);
  Values values;
  for (int64_t k = 0; k < array.count(); ++k) {
    values.push_back(static_cast<long double>((7 * k + 3 * seed) % 11 - 5) / 10);
  }
  array.fill(values);
  return array;
}

LayerCall torch_call(bool is_lstm, const TorchNumbers& torch) {
  const int64_t directions = torch.bidirectional ? 2 : 1, gates = is_lstm ? 8 : 6;
  const Shape state{torch.layers * directions, torch.batch_first ? 2 : 3, 2};
  LayerCall made{is_lstm,
                 torch.layers,
                 torch.bidirectional,
                 torch.batch_first,
                 numbers(20, {2, 3, 2}),
                 numbers(21, state),
                 numbers(22, state),
                 {}};
  for (int64_t p = 0; p < 4 * state[0]; ++p) {
    const int64_t columns = p % 4 == 0 && p / 4 >= directions ? 2 * directions : 2;
    made.params.push_back(numbers(p, p % 4 > 1 ? Shape{gates} : Shape{gates, columns}));
  }
  return made;
}

class TorchLayers : public RecurrentTest {
 protected:
  void expect_same(bool is_lstm, const TorchNumbers& torch) {
    const Values of_y = numbers(23, {2, 3, torch.bidirectional ? 4 : 2}).values();
    const LayerResults results = run(torch_call(is_lstm, torch), of_y);
    expect_near(results.y, torch.y, 2e-7L);
    expect_near(results.dx, torch.dx, 2e-7L);
    expect_near(results.dh0, torch.dh0, 2e-7L);
    expect_near(results.dparams.back(), torch.dbias, 2e-7L);
  }
};

TEST_F(TorchLayers, Lstm) {
  const std::vector<TorchNumbers> all = {
      {2,
       false,
       true,
       {-0.11205945L, -0.11951882L, -0.11969355L, -0.062331956L, -0.15391541L, -0.039512379L,
        0.067149226L, 0.0087662471L, -0.04751563L, 0.009516913L, -0.11602326L, 0.006124606L},
       {-0.0015924366L, -0.0024303217L, 0.0024768918L, -0.012402443L, 0.0043690646L, -0.0096841155L,
        -0.0042410684L, 0.0035164298L, -0.00064418784L, -0.0057829032L, 0.00049406543L,
        -0.0054788492L},
       {-0.00036084458L, -0.00208221L, -0.0021637092L, -0.0055926744L, 0.019247622L, -0.013533978L,
        -0.012230176L, 0.059855753L},
       {-0.012047955L, -0.0052187242L, -0.045961776L, -0.0027012246L, 0.1397332L, -0.1963079L,
        -0.043268483L, -0.017451065L}},
      {1,
       true,
       false,
       {-0.30684502L, 0.040708133L,  -0.064311147L, 0.024519644L,  -0.21498046L,  0.089148004L,
        -0.31815143L, 0.066346815L,  -0.13113303L,  -0.10942523L,  -0.096312504L, -0.12851856L,
        -0.18210373L, -0.049049559L, 0.13584103L,   -0.023393426L, -0.27665495L,  0.031309705L,
        -0.25485533L, 0.098654561L,  -0.2182249L,   -0.11158585L,  -0.22411014L,  -0.15384295L},
       {0.008285498L, -0.0014442717L, 0.011763668L, -0.014888155L, 0.015891115L, 0.054925953L,
        -0.036147237L, -0.0022417258L, -0.012445958L, 0.022354404L, 0.051789866L, -0.09225612L},
       {0.021915273L, 0.0036860329L, -0.028080113L, -0.045176383L, -0.012264097L, 0.064987809L,
        0.016402522L, 0.024754587L, 0.024929213L, -0.014226952L, 0.017268676L, -0.018059701L},
       {0.018654324L, -0.0076173942L, 0.0062878662L, 0.0097294797L, -0.098361243L, 0.069879271L,
        -0.0036312092L, -0.032337571L}}};
  for (const TorchNumbers& each : all) expect_same(true, each);
}

TEST_F(TorchLayers, Gru) {
  const std::vector<TorchNumbers> all = {
      {2,
       false,
       true,
       {-0.27234653L, 0.38423897L, -0.26801168L, 0.29407662L, -0.27086714L, 0.24245208L,
        0.012455815L, -0.065858298L, -0.043483893L, 0.036999661L, -0.084074412L, 0.09398639L},
       {-0.0026320044L, -0.014756473L, 0.0040000086L, -0.034843148L, 0.0095323106L, -0.026353641L,
        -0.015091514L, 0.010211019L, -0.0071177286L, -0.028797597L, 0.0024275014L, -0.015483479L},
       {-0.0074136073L, 0.031845856L, 0.024595211L, -0.0073497537L, -0.026957467L, 0.17080085L,
        -0.25300041L, 0.043810302L},
       {-0.013708772L, 0.042302294L, -0.019093463L, 0.04631628L, 0.11559443L, -0.19641583L}},
      {1,
       true,
       false,
       {-0.057744467L, 0.095864294L,  -0.12529162L, 0.053177355L, -0.53632436L, 0.16005062L,
        -0.13077808L,  0.17868601L,   -0.29206736L, 0.27956463L,  -0.27564493L, 0.19375988L,
        -0.16898148L,  -0.026555224L, 0.075669029L, -0.15058869L, -0.54080128L, 0.17641511L,
        0.085827359L,  0.14262609L,   -0.4512259L,  0.19356571L,  -0.42663194L, 0.26118392L},
       {-0.02870123L, -0.051507526L, -0.02317743L, 0.010573469L, 0.013725772L, 0.10014319L,
        -0.066878735L, -0.043916005L, 0.0033505664L, 0.066085433L, 0.076875134L, -0.12308023L},
       {0.04578959L, 0.22411692L, 0.17397938L, -0.21474476L, -0.14605958L, -0.12128504L,
        -0.12084718L, 0.16118424L, 0.048556793L, 0.062971723L, -0.056617485L, 0.25928641L},
       {-0.001556878L, -0.013265441L, -0.047439574L, 0.00011491228L, -0.095898201L, 0.061787739L}}};
  for (const TorchNumbers& each : all) expect_same(false, each);
}

TEST_F(RecurrentTest, NoGradientsGiveZeros) {
  const LayerResults results = run(torch_call(true, {1, true, false}), std::nullopt);
  for (const Array* each : {&results.dx, &results.dh0, &results.dc0, &results.dparams[0]}) {
    for (const long double value : each->values()) EXPECT_EQ(value, 0);
  }
}

TEST_F(RecurrentTest, SequencesOfDifferentLengthsEndTheTask) {
  const Array x(ACL_FLOAT, {4, 1}, {1, 2, 3, 4}), state(ACL_FLOAT, {1, 2, 1}, {0, 0}),
      y(ACL_FLOAT, {4, 1}), hy(ACL_FLOAT, {1, 2, 1}), w(ACL_FLOAT, {3, 1}, {1, 1, 1});
  const List params{w.tensor(), w.tensor()};
  const aclTensorList* const none = nullptr;
  const auto run_with = [&](const Values& counts) {
    const Array sizes = filled({2}, counts, ACL_INT64);
    return call(PHASES(aclnnGRU), x, params, state, sizes, false, int64_t{1}, 0.0, false, false,
                false, y, hy, none, none, none, none, none);
  };
  EXPECT_EQ(run_with({2, 2}), 0) << recent_message();
  EXPECT_NE(run_with({3, 1}), 0);
}

}  // namespace
}  // namespace aclgrad::testing
