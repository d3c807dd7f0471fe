// SPDX-License-Identifier: Apache-2.0
// aclnnGRU, aclnnGRUBackward.
#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "ops/recurrent/layer_rules.h"

namespace aclgrad::ops {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t {
  kInput,
  kParams,
  kHx,
  kBatchSizes,
  kHasBiases,
  kNumLayers,
  kDropout,
  kTrain,
  kBidirectional,
  kBatchFirst,
  kOutput,
  kHy,
  kR,
  kZ,
  kN,
  kHn,
  kH
};

LayerParameters parameters() {
  return {.cell = Cell::kGru,
          .input = kInput,
          .params = kParams,
          .hx = kHx,
          .batch_sizes = kBatchSizes,
          .has_biases = kHasBiases,
          .layers = kNumLayers,
          .bidirectional = kBidirectional,
          .batch_first = kBatchFirst,
          .dropout = kDropout,
          .train = kTrain,
          .states = {kHy},
          .sequences = {kOutput},
          .of_input = {},
          .of_params = {},
          .kept = {kR, kZ, kN, kHn, kH}};
}

const OperatorSpec kSpec{
    "aclnnGRU",
    {input("input"), input("params"), input("hx"), input("batchSizesOptional"),
     attribute("hasBiases"), attribute("numLayers"), attribute("dropout"), attribute("train"),
     attribute("bidirectional"), attribute("batchFirst"), output("output"), output("hy"),
     output("r"), output("z"), output("n"), output("hn"), output("h")},
    layer_rules({not_null({kInput, kParams, kHx, kOutput, kHy}),
                 when([](const Arguments& a) { return keeps(a, parameters()); },
                      not_null({kR, kZ, kN, kHn, kH}))},
                parameters())};

Plan plan(const Arguments& arguments) {
  const LayerParameters p = parameters();
  LayerTensors tensors{.input = time_first(arguments, p, kInput),
                       .output = time_first(arguments, p, kOutput),
                       .parameters = arguments.members(kParams).first,
                       .h = kHx,
                       .c = kHx,
                       .last_h = kHy,
                       .last_c = kHy};
  if (keeps(arguments, p)) tensors.kept = first_tensors(arguments, p.kept);
  return with_batch_sizes(arguments, p, plan_layers(arguments, sizes_of(arguments, p), tensors));
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kInput,
  kParams,
  kHx,
  kGradY,
  kGradHy,
  kR,
  kZ,
  kN,
  kHn,
  kH,
  kBatchSizes,
  kHasBiases,
  kNumLayers,
  kBidirectional,
  kBatchFirst,
  kGradInput,
  kGradHx,
  kGradParams
};

LayerParameters parameters() {
  return {.cell = Cell::kGru,
          .input = kInput,
          .params = kParams,
          .hx = kHx,
          .batch_sizes = kBatchSizes,
          .has_biases = kHasBiases,
          .layers = kNumLayers,
          .bidirectional = kBidirectional,
          .batch_first = kBatchFirst,
          .dropout = {},
          .train = {},
          .states = {kGradHy, kGradHx},
          .sequences = {kGradY},
          .of_input = {kGradInput},
          .of_params = {kGradParams},
          .kept = {kR, kZ, kN, kHn, kH}};
}

const OperatorSpec kSpec{
    "aclnnGRUBackward",
    {input("input"), input("params"), input("hx"), input("gradY"), input("gradHy"), input("r"),
     input("z"), input("n"), input("hn"), input("h"), input("batchSizesOptional"),
     attribute("hasBiases"), attribute("numLayers"), attribute("bidirectional"),
     attribute("batchFirst"), output("gradInput"), output("gradHx"), output("gradParams")},
    layer_rules({not_null({kInput, kParams, kHx, kGradY, kGradHy, kR, kZ, kN, kHn, kH, kGradInput,
                           kGradHx, kGradParams})},
                parameters())};

Plan plan(const Arguments& arguments) {
  const LayerParameters p = parameters();
  const LayerGradients tensors{.input = time_first(arguments, p, kInput),
                               .of_output = time_first(arguments, p, kGradY),
                               .of_last_h = kGradHy,
                               .of_last_c = {},
                               .parameters = arguments.members(kParams).first,
                               .h = kHx,
                               .c = kHx,
                               .kept = first_tensors(arguments, p.kept),
                               .of_input = time_first(arguments, p, kGradInput),
                               .of_h = kGradHx,
                               .of_c = kGradHx,
                               .of_parameters = arguments.members(kGradParams).first};
  return with_batch_sizes(arguments, p,
                          plan_layer_gradients(arguments, sizes_of(arguments, p), tensors));
}

}  // namespace backward
}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnGRU, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnGRUBackward, backward::kSpec, backward::plan)
