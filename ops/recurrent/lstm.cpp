// SPDX-License-Identifier: Apache-2.0
// aclnnLSTM, aclnnLstmBackward.
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "ops/recurrent/layer_rules.h"

namespace aclgrad::ops::lstm {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

const ParameterList kForward = {input("input"),
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
                                output("tanhc")};

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

const ParameterList kBackward = {input("input"),
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
                                 output("gradParams")};

const LayerParameters& backward() {
  static const LayerParameters numbers(Cell::kLstm, kBackward);
  return numbers;
}

std::vector<Rule> nulls_of_backward() {
  std::vector<Rule> rules = {
      all_given(kBackward, {"input", "hx", "params", "i", "j", "f", "o", "h", "c", "tanhc",
                            "gradInput", "gradHx", "gradCx", "gradParams"})};
  for (const size_t each : numbers_of(kBackward, {"gradYOptional", "gradHyOptional",
                                                  "gradCyOptional", "outputMaskOptional"})) {
    rules.push_back(live_if_given(each));
  }
  return rules;
}

const OperatorSpec kLstmBackward{"aclnnLstmBackward", kBackward,
                                 layer_rules(nulls_of_backward(), backward())};

}  // namespace

ACLGRAD_OPERATOR(aclnnLSTM, kLstm,
                 [](const Arguments& arguments) { return plan_forward(arguments, forward()); })
ACLGRAD_OPERATOR(aclnnLstmBackward, kLstmBackward,
                 [](const Arguments& arguments) { return plan_backward(arguments, backward()); })

}  // namespace aclgrad::ops::lstm
