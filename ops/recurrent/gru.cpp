// SPDX-License-Identifier: Apache-2.0
// aclnnGRU, aclnnGRUBackward.
#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "ops/meta/parameters.h"
#include "ops/recurrent/layer_rules.h"

namespace aclgrad::ops::gru {
namespace {

const ParameterList kForward =
    parameters({"input", "params", "hx", "batchSizesOptional"},
               {"hasBiases", "numLayers", "dropout", "train", "bidirectional", "batchFirst"},
               {"output", "hy", "r", "z", "n", "hn", "h"});

const LayerParameters& forward() {
  static const LayerParameters numbers(Cell::kGru, kForward);
  return numbers;
}

const OperatorSpec kGru{"aclnnGRU", kForward,
                        layer_rules({all_given(kForward, {"input", "params", "hx", "output", "hy"}),
                                     when([](const Arguments& a) { return keeps(a, forward()); },
                                          all_given(kForward, {"r", "z", "n", "hn", "h"}))},
                                    forward())};

const ParameterList kBackward = parameters(
    {"input", "params", "hx", "gradY", "gradHy", "r", "z", "n", "hn", "h", "batchSizesOptional"},
    {"hasBiases", "numLayers", "bidirectional", "batchFirst"},
    {"gradInput", "gradHx", "gradParams"});

const LayerParameters& backward() {
  static const LayerParameters numbers(Cell::kGru, kBackward);
  return numbers;
}

const OperatorSpec kGruBackward{
    "aclnnGRUBackward", kBackward,
    layer_rules({all_given(kBackward, {"input", "params", "hx", "gradY", "gradHy", "r", "z", "n",
                                       "hn", "h", "gradInput", "gradHx", "gradParams"})},
                backward())};

}  // namespace

ACLGRAD_OPERATOR(aclnnGRU, kGru,
                 [](const Arguments& arguments) { return plan_forward(arguments, forward()); })
ACLGRAD_OPERATOR(aclnnGRUBackward, kGruBackward,
                 [](const Arguments& arguments) { return plan_backward(arguments, backward()); })

}  // namespace aclgrad::ops::gru
