// SPDX-License-Identifier: Apache-2.0
// aclnnLSTM, aclnnLstmBackward.
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "ops/meta/parameters.h"
#include "ops/recurrent/layer_rules.h"

namespace aclgrad::ops::lstm {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

const ParameterList kForward =
    parameters({"input", "params", "hx", "batchSizesOptional"},
               {"hasBiases", "numLayers", "dropout", "train", "bidirectional", "batchFirst"},
               {"output", "hy", "cy", "i", "j", "f", "o", "h", "c", "tanhc"});

const LayerParameters& forward() {
  static const LayerParameters numbers(Cell::kLstm, kForward);
  return numbers;
}

// Without train h and c are there all the same.
Rule kept_lists() {
  return [all = all_given(kForward, {"i", "j", "f", "o", "h", "c", "tanhc"}),
          some = all_given(kForward, {"h", "c"})](const Arguments& arguments) {
    return (keeps(arguments, forward()) ? all : some)(arguments);
  };
}

const OperatorSpec kLstm{
    "aclnnLSTM", kForward,
    layer_rules(
        {all_given(kForward, {"input", "params", "hx", "output", "hy", "cy"}), kept_lists()},
        forward())};

// ---- Backward -----------------------------------------------------------------------------------

const ParameterList kBackward =
    parameters({"input", "hx", "params", "gradYOptional", "gradHyOptional", "gradCyOptional", "i",
                "j", "f", "o", "h", "c", "tanhc", "batchSizesOptional"},
               {"hasBiases", "numLayers", "dropout", "train", "bidirectional", "batchFirst",
                "outputMaskOptional"},
               {"gradInput", "gradHx", "gradCx", "gradParams"});

const LayerParameters& backward() {
  static const LayerParameters numbers(Cell::kLstm, kBackward);
  return numbers;
}

Rules nulls_of_backward() {
  return {all_given(kBackward, {"input", "hx", "params", "i", "j", "f", "o", "h", "c", "tanhc",
                                "gradInput", "gradHx", "gradCx", "gradParams"}),
          live_if_given(numbers_of(kBackward, {"gradYOptional", "gradHyOptional", "gradCyOptional",
                                               "outputMaskOptional"}))};
}

const OperatorSpec kLstmBackward{"aclnnLstmBackward", kBackward,
                                 layer_rules(nulls_of_backward(), backward())};

}  // namespace

ACLGRAD_OPERATOR(aclnnLSTM, kLstm,
                 [](const Arguments& arguments) { return plan_forward(arguments, forward()); })
ACLGRAD_OPERATOR(aclnnLstmBackward, kLstmBackward,
                 [](const Arguments& arguments) { return plan_backward(arguments, backward()); })

}  // namespace aclgrad::ops::lstm
