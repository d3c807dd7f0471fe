// SPDX-License-Identifier: Apache-2.0
// One step of long short-term memory.
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_thnn_fused_lstm_cell.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell_backward.h"
#include "ops/contract/describe.h"
#include "ops/recurrent/cell_contract.h"

namespace aclgrad::contract {
namespace {

// Everything by the shape of cx.
void arrange_cell(Arguments& a) {
  const Shape cx = a.shape("cx");
  if (cx.size() != 2 || count_of(cx) == 0) {
    throw std::invalid_argument("cx must be [batch, units], with elements");
  }
  a.reshape({"hy", "cy", "gradHyOptional", "gradCyOptional", "gradCx"}, cx);
  a.reshape({"inputGates", "hiddenGates", "storage", "gradGates"}, {cx[0], 4 * cx[1]});
  a.reshape({"inputBiasOptional", "hiddenBiasOptional", "gradBiasOptional"}, {4 * cx[1]});
}

// Inputs: inputGates, hiddenGates, cx, and both biases. Results: hy, cy, storage; of the scale of
// their errors if so wished.
template <bool kMagnitude>
Arrays lstm_cell(const Arguments&, const Arrays& in) {
  const Array& cx = in[2];
  const auto size = static_cast<size_t>(cx.shape[1]);
  Array hy = cx, cy = cx, storage = in[0];
  for (size_t n = 0; n < cx.values.size(); ++n) {
    const size_t first = n / size * 4 * size + n % size;
    std::array<Scaled, 4> sums;
    for (size_t k = 0; k < 4; ++k) {
      const size_t at = first + k * size;
      sums[k] = exactly(in[0].values[at]) + exactly(in[1].values[at]);
      for (size_t b = 3; b < in.size(); ++b) {
        sums[k] = sums[k] + exactly(in[b].values[k * size + n % size]);
      }
    }
    const LstmElement element = lstm_element(sums, exactly(cx.values[n]));
    for (size_t k = 0; k < 4; ++k) {
      storage.values[first + k * size] = element.gates[k].of<kMagnitude>();
    }
    cy.values[n] = element.c.of<kMagnitude>();
    hy.values[n] = element.h.of<kMagnitude>();
  }
  return {hy, cy, storage};
}

// Inputs: gradHy, gradCy where it is given, cx, cy, storage. Results: gradGates, gradCx, and
// gradBias where it is given.
template <bool kMagnitude>
Arrays lstm_cell_backward(const Arguments& a, const Arrays& in) {
  const Array &storage = in[in.size() - 1], &cy = in[in.size() - 2], &cx = in[in.size() - 3];
  const auto size = static_cast<size_t>(cx.shape[1]);
  Array gates = storage, of_cx = cx;
  Array of_bias{{4 * cx.shape[1]}, std::vector<Number>(4 * size)};
  for (size_t n = 0; n < cx.values.size(); ++n) {
    const size_t first = n / size * 4 * size + n % size;
    std::array<Number, 4> kept;
    for (size_t k = 0; k < 4; ++k) kept[k] = storage.values[first + k * size];
    const Number of_cy = in.size() == 5 ? in[1].values[n] : 0;
    // The slope is taken of a rounded tanh(cy).
    const Scaled tanh_c = exactly(std::tanh(cy.values[n]));
    const LstmSlopes slopes = lstm_slopes(exactly(in[0].values[n]), exactly(of_cy), kept,
                                          cx.values[n], tanh_c.value, exactly(1) - tanh_c * tanh_c);
    for (size_t k = 0; k < 4; ++k) {
      const Number slope = slopes.of_gates[k].of<kMagnitude>();
      gates.values[first + k * size] = slope;
      of_bias.values[k * size + n % size] += slope;
    }
    of_cx.values[n] = slopes.of_c_before.of<kMagnitude>();
  }
  if (a.number("hasBias") == 0) return {gates, of_cx};
  return {gates, of_cx, of_bias};
}

Sample biased() {
  return {{{"inputBiasOptional", Shape{12}},
           {"hiddenBiasOptional", Shape{12}},
           {"hasBias", 1.0},
           {"gradBiasOptional", Shape{12}}}};
}

Domain cell_domain(bool of_gradient) {
  Sample wide = biased(), large = biased(), both = biased();
  wide.settings.emplace_back("cx", Shape{3, 33});
  large.settings.emplace_back("cx", Shape{70, 130});
  both.settings.emplace_back("gradCyOptional", Shape{kN, 3});
  both.is_gradient = false;
  std::vector<Sample> samples = {{}, biased()};
  if (of_gradient) samples.push_back(both);
  return {.everywhere = kFloatsAndDouble,
          .max_rank = 2,
          .base = "cx",
          .base_shape = {kN, 3},
          .arrange = arrange_cell,
          .samples = samples,
          .value_samples = {wide, large}};
}

}  // namespace

FamilyContracts recurrent_contracts() {
  const auto tensor = [](Parameter parameter, Shape shape, double fill = 1) {
    return filled(shaped(std::move(parameter), std::move(shape)), fill);
  };
  const auto bias = [&](Parameter parameter) {
    return optional(tensor(std::move(parameter), {12}));
  };
  const auto state = [&](Parameter parameter) { return tensor(std::move(parameter), {2, 3}); };
  const auto gates = [&](Parameter parameter) { return tensor(std::move(parameter), {2, 12}); };
  FamilyContracts family{{"Recurrent", "循环网络"}, {}};
  family.operators.push_back({
      .call =
          ACLGRAD_CALL(aclnnThnnFusedLstmCell, gates(in("inputGates", -2, 2)),
                       gates(in("hiddenGates", -2, 2)), state(in("cx", -2, 2)),
                       bias(in("inputBiasOptional", -1, 1)), bias(in("hiddenBiasOptional", -1, 1)),
                       state(out("hy")), state(out("cy")), gates(out("storage"))),
      .domain = cell_domain(false),
      .results = {.reference = lstm_cell<false>,
                  .bound = {.of_float = 4, .of_16_bits = 0.502, .of_double = 8},
                  .magnitude = lstm_cell<true>,
                  .nan_goes_through = false},
      .error_inputs = {{.what = "without the other bias",
                        .changes = {{"inputBiasOptional", of_shape({12})}},
                        .words = {"hiddenBiasOptional must be given"}},
                       {.what = "without the other bias",
                        .changes = {{"hiddenBiasOptional", of_shape({12})}},
                        .words = {"inputBiasOptional must be given"}},
                       {.what = "of other gates",
                        .changes = {{"hiddenBiasOptional", of_shape({9})},
                                    {"inputBiasOptional", of_shape({12})}},
                        .words = {"[12]"}},
                       refused("cx", "of rank 3", of_shape({2, 3, 1}), "rank 2")},
      .words = {"a step of an LSTM from the two sides' gates: hy = o·tanh(cy), cy = f·cx + i·g",
                "由两侧门值计算 LSTM 的一步：hy = o·tanh(cy)，cy = f·cx + i·g"},
  });
  family.operators.push_back({
      .call = ACLGRAD_CALL(aclnnThnnFusedLstmCellBackward, state(in("gradHyOptional")),
                           optional(state(in("gradCyOptional"))), state(in("cx", -2, 2)),
                           state(in("cy", -2, 2)), tensor(in("storage", 0.1L, 0.9L), {2, 12}, 0.5),
                           flag("hasBias"), gates(out("gradGates")), state(out("gradCx")),
                           bias(out("gradBiasOptional"))),
      .domain = cell_domain(true),
      .results = {.reference = lstm_cell_backward<false>,
                  .bound = {.of_float = 4, .of_16_bits = 0.502, .of_double = 8, .inner = 8},
                  .roundings =
                      [](const Arguments& a) { return static_cast<double>(a.shape("cx")[0]); },
                  .magnitude = lstm_cell_backward<true>,
                  .nan_goes_through = false},
      .gradient =
          Gradient{.of = "aclnnThnnFusedLstmCell",
                   .inputs =
                       [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
                         return Arrays{g, x[2], y[1], y[2]};
                       },
                   .order = {"inputGates", "cx", "inputBiasOptional"}},
      .error_inputs = {{.what = "without gradBias",
                        .changes = {{"hasBias", true}},
                        .status = 161001,
                        .words = {"gradBiasOptional must not be null"}},
                       {.what = "of DT_INT32",
                        .changes = {{"gradBiasOptional",
                                     TensorSpec{.shape = {12}, .dtype = ACL_INT32}},
                                    {"hasBias", true}},
                        .words = {"DT_INT32"}},
                       {.what = "of other gates",
                        .changes = {{"gradBiasOptional", of_shape({9})}, {"hasBias", true}},
                        .words = {"[12]"}},
                       refused("cx", "of rank 3", of_shape({2, 3, 1}), "rank 2")},
      .words = {"the gradients of the gates, of cx and of the biases", "门、cx 与偏置的梯度", "",
                "lstm_cell"},
  });
  add_recurrent_layers(family.operators);
  return family;
}

}  // namespace aclgrad::contract
