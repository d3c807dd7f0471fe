// SPDX-License-Identifier: Apache-2.0
// Nodes of training, which no network in use has. What ONNX lacks of a family is refused beside
// what it has of it.
#include "aclgrad/ops.h"
#include "aclgrad/ops/sync_batch_norm.h"
#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {

void add_refusals(Table& table) {
  table.refused<
      SeluBackwardOp, EluBackwardOp, HardswishBackwardOp, HardswishBackwardV2Op, GeluTanhBackwardOp,
      GeluBackwardOp, GegluBackwardOp, TanhBackwardOp, SigmoidBackwardOp, SiluBackwardOp,
      ThresholdBackwardOp, LeakyReluBackwardOp, SoftplusBackwardOp, MishBackwardOp, PreluBackwardOp,
      HardsigmoidBackwardOp, FastGeluBackwardOp, LogSigmoidBackwardOp, HardtanhBackwardOp,
      HardshrinkBackwardOp, SoftshrinkBackwardOp, LogitBackwardOp, GluBackwardOp, SwigluBackwardOp,
      AttentionBackwardOp, RotaryBackwardOp, ConvolutionBackwardOp, RepeatInterleaveGradOp,
      EmbeddingDenseBackwardOp, MseLossBackwardOp, L1LossBackwardOp, SmoothL1LossBackwardOp,
      BceWithLogitsBackwardOp, BinaryCrossEntropyBackwardOp, SoftMarginLossBackwardOp,
      NllLossBackwardOp, CtcLossBackwardOp, SoftmaxBackwardOp, LogSoftmaxBackwardOp,
      LayerNormBackwardOp, RmsNormBackwardOp, ScaledMaskedSoftmaxBackwardOp, DeepNormBackwardOp,
      BatchNormBackwardOp, GroupNormBackwardOp, MaxPoolBackwardOp, AvgPoolBackwardOp,
      AdaptiveMaxPoolBackwardOp, AdaptiveAvgPoolBackwardOp, LstmBackwardOp, GruBackwardOp,
      LstmCellBackwardOp, CdistBackwardOp, PadModeBackwardOp, InterpolateBackwardOp,
      GridSampleBackwardOp, BatchNormReduceBackwardOp, BatchNormElemtBackwardOp>(
      "ONNX has no gradients: save what the network computes, without backward()");
  table.refused<InplaceAddOp, AccumulateOp, AssignOp, AdamWOp, InplaceIndexCopyOp>(
      "it changes a variable, which stays as it is in a file");
  table.refused<ForeachNormOp, ForeachMulOp>(
      "it is a step of an optimizer: save the network without it");
  table.refused<BatchNormStatsOp, BatchNormGatherStatsOp, BatchNormElemtOp>(
      "it normalizes by the batches of several ranks: save the network in Mode::evaluation");
  table.refused<NormalOp, UniformOp, DropoutMaskOp>(
      "it draws numbers, which another runtime draws differently");
}

}  // namespace aclgrad::onnx::saving
