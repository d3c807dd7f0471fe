// SPDX-License-Identifier: Apache-2.0
// aclnnLSTM, aclnnLstmBackward.
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "ops/recurrent/layer_rules.h"

namespace aclgrad::ops {
namespace {

// The gradients that are given, of the sequence or of a state.
std::optional<size_t> if_there(const Arguments& arguments, size_t tensor) {
  return arguments.given(tensor) ? std::optional(tensor) : std::nullopt;
}

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
  kCy,
  kI,
  kJ,
  kF,
  kO,
  kH,
  kC,
  kTanhC
};

LayerParameters parameters() {
  return {.cell = Cell::kLstm,
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
          .states = {kHy, kCy},
          .sequences = {kOutput},
          .of_input = {},
          .of_params = {},
          .kept = {kI, kF, kJ, kO, kTanhC, kC, kH}};
}

// Without train h and c are there all the same.
Rule kept_lists() {
  return [](const Arguments& arguments) {
    return keeps(arguments, parameters()) ? not_null({kI, kJ, kF, kO, kH, kC, kTanhC})(arguments)
                                          : not_null({kH, kC})(arguments);
  };
}

const OperatorSpec kSpec{
    "aclnnLSTM",
    {input("input"),
     input("params"),
     input("hx"),
     input("batchSizesOptional"),
     attribute("hasBiases"),
     attribute("numLayers"),
     attribute("dropout"),
     attribute("train"),
     attribute("bidirectional"),
     attribute("batchFirst"),
     output("output"),
     output("hy"),
     output("cy"),
     output("i"),
     output("j"),
     output("f"),
     output("o"),
     output("h"),
     output("c"),
     output("tanhc")},
    layer_rules({not_null({kInput, kParams, kHx, kOutput, kHy, kCy}), kept_lists()}, parameters())};

Plan plan(const Arguments& arguments) {
  const LayerParameters p = parameters();
  const size_t hx = arguments.members(kHx).first;
  LayerTensors tensors{.input = time_first(arguments, p, kInput),
                       .output = time_first(arguments, p, kOutput),
                       .parameters = arguments.members(kParams).first,
                       .h = hx,
                       .c = hx + 1,
                       .last_h = kHy,
                       .last_c = kCy};
  if (keeps(arguments, p)) tensors.kept = first_tensors(arguments, p.kept);
  return with_batch_sizes(arguments, p, plan_layers(arguments, sizes_of(arguments, p), tensors));
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kInput,
  kHx,
  kParams,
  kGradY,
  kGradHy,
  kGradCy,
  kI,
  kJ,
  kF,
  kO,
  kH,
  kC,
  kTanhC,
  kBatchSizes,
  kHasBiases,
  kNumLayers,
  kDropout,
  kTrain,
  kBidirectional,
  kBatchFirst,
  kOutputMask,
  kGradInput,
  kGradHx,
  kGradCx,
  kGradParams
};

// What is kept is read whatever `train` says.
LayerParameters parameters() {
  return {.cell = Cell::kLstm,
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
          .states = {kGradHy, kGradCy, kGradHx, kGradCx},
          .sequences = {kGradY},
          .of_input = {kGradInput},
          .of_params = {kGradParams},
          .kept = {kI, kF, kJ, kO, kTanhC, kC, kH}};
}

const OperatorSpec kSpec{"aclnnLstmBackward",
                         {input("input"),
                          input("hx"),
                          input("params"),
                          input("gradYOptional"),
                          input("gradHyOptional"),
                          input("gradCyOptional"),
                          input("i"),
                          input("j"),
                          input("f"),
                          input("o"),
                          input("h"),
                          input("c"),
                          input("tanhc"),
                          input("batchSizesOptional"),
                          attribute("hasBiases"),
                          attribute("numLayers"),
                          attribute("dropout"),
                          attribute("train"),
                          attribute("bidirectional"),
                          attribute("batchFirst"),
                          attribute("outputMaskOptional"),
                          output("gradInput"),
                          output("gradHx"),
                          output("gradCx"),
                          output("gradParams")},
                         layer_rules({not_null({kInput, kHx, kParams, kI, kJ, kF, kO, kH, kC,
                                                kTanhC, kGradInput, kGradHx, kGradCx, kGradParams}),
                                      live_if_given(kGradY), live_if_given(kGradHy),
                                      live_if_given(kGradCy), live_if_given(kOutputMask)},
                                     parameters())};

Plan plan(const Arguments& arguments) {
  const LayerParameters p = parameters();
  const size_t hx = arguments.members(kHx).first;
  LayerGradients tensors{.input = time_first(arguments, p, kInput),
                         .of_output = {},
                         .of_last_h = if_there(arguments, kGradHy),
                         .of_last_c = if_there(arguments, kGradCy),
                         .parameters = arguments.members(kParams).first,
                         .h = hx,
                         .c = hx + 1,
                         .kept = first_tensors(arguments, p.kept),
                         .of_input = time_first(arguments, p, kGradInput),
                         .of_h = kGradHx,
                         .of_c = kGradCx,
                         .of_parameters = arguments.members(kGradParams).first};
  if (arguments.given(kGradY)) tensors.of_output = time_first(arguments, p, kGradY);
  return with_batch_sizes(arguments, p,
                          plan_layer_gradients(arguments, sizes_of(arguments, p), tensors));
}

}  // namespace backward
}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnLSTM, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnLstmBackward, backward::kSpec, backward::plan)
