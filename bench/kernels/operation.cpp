// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/operation.h"

namespace aclgrad::bench {
namespace {

const std::vector<aclDataType> k16BitFloats = {ACL_BF16, ACL_FLOAT16};
const std::vector<int64_t> kHalfShape = {kRows, kHalf};
const Operand kFull = {};
const Operand kOneValue = {.shape = {}};

Operation forward(std::string name, std::string row, Group group) {
  return {.name = std::move(name),
          .row = std::move(row),
          .group = group,
          .inputs = {kFull},
          .outputs = {kFull}};
}

Operation backward(std::string name, std::string row, Group group, Fill fill = Fill::normal) {
  return {.name = std::move(name),
          .row = std::move(row),
          .group = group,
          .inputs = {{.fill = Fill::gradient}, {.fill = fill}},
          .outputs = {kFull},
          .broadcast = 0};
}

void add_activations(std::vector<Operation>& list) {
  list.push_back(forward("Selu", "aclnnSelu", Group::elu));
  list.push_back(backward("SeluBackward", "aclnnSeluBackward", Group::elu, Fill::elu));
  // With all parameters 1, which oneDNN has too, and, called "scaled", with others.
  const std::string plain = " alpha=1 scale=1 inputScale=1";
  const std::string scaled = " alpha=1.25 scale=0.75 inputScale=1.5";
  const std::string slope = "aclnnEluBackward";
  const std::string of_result = " isResult=true";
  list.push_back(forward("Elu", "aclnnElu" + plain, Group::elu));
  list.push_back(backward("EluBackward self", slope + plain, Group::elu));
  list.push_back(backward("EluBackward result", slope + plain + of_result, Group::elu, Fill::elu));
  list.push_back(forward("Elu scaled", "aclnnElu" + scaled, Group::other));
  list.push_back(backward("EluBackward scaled self", slope + scaled, Group::other));
  list.push_back(
      backward("EluBackward scaled result", slope + scaled + of_result, Group::other, Fill::elu));
  list.push_back(forward("Hardswish", "aclnnHardswish", Group::other));
  list.push_back(backward("HardswishBackward", "aclnnHardswishBackward", Group::other));
  list.push_back(backward("HardswishBackwardV2", "aclnnHardswishBackwardV2", Group::other));
  for (const bool tanh_form : {false, true}) {
    const std::string form = tanh_form ? " tanh" : " erf";
    const std::string word = tanh_form ? "tanh" : "none";
    list.push_back(forward("Gelu" + form,
                           std::string("aclnnGeluV2 approximate=") + (tanh_form ? "1" : "0"),
                           Group::gelu));
    list.push_back(
        backward("GeluBackward" + form, "aclnnGeluBackwardV2 approximate=" + word, Group::gelu));
  }
  for (const bool tanh_form : {false, true}) {
    const std::string form = tanh_form ? " tanh" : " erf";
    const std::string attributes =
        std::string("dim=1 approximate=") + (tanh_form ? "1" : "0") + " activateLeft=false";
    list.push_back({.name = "GeGlu" + form,
                    .row = "aclnnGeGluV3 " + attributes,
                    .group = Group::geglu,
                    .inputs = {kFull},
                    .outputs = {{.shape = kHalfShape}, {.shape = kHalfShape}}});
    list.push_back(
        {.name = "GeGluBackward" + form,
         .row = "aclnnGeGluV3Backward " + attributes,
         .group = Group::geglu,
         .inputs = {{.shape = kHalfShape, .fill = Fill::gradient}, kFull, {.shape = kHalfShape}},
         .outputs = {kFull},
         .broadcast = 0});
  }
}

void add_arithmetic(std::vector<Operation>& list) {
  const auto binary = [&](std::string name, std::string row) {
    list.push_back({.name = std::move(name),
                    .row = std::move(row),
                    .group = Group::other,
                    .inputs = {kFull, kFull},
                    .outputs = {kFull},
                    .broadcast = 1});
  };
  binary("Add", "aclnnAdd alpha=-3");
  binary("Mul", "aclnnMul");
  list.push_back(forward("Muls", "aclnnMuls other=2", Group::other));
  list.push_back({.name = "Copy",
                  .row = "aclnnInplaceCopy",
                  .group = Group::other,
                  .inputs = {kFull},
                  .outputs = {kFull},
                  .broadcast = 0});
  const auto cast = [&](std::string name, std::string label, aclDataType to,
                        std::vector<aclDataType> from) {
    list.push_back({.name = std::move(name),
                    .row = "aclnnCast dtype=" + label,
                    .group = Group::other,
                    .inputs = {kFull},
                    .outputs = {{.dtype = to}},
                    .dtypes = std::move(from)});
  };
  cast("Cast to FLOAT", "FLOAT", ACL_FLOAT, k16BitFloats);
  cast("Cast to BFLOAT16", "BF16", ACL_BF16, {ACL_FLOAT});
  cast("Cast to FLOAT16", "FLOAT16", ACL_FLOAT16, {ACL_FLOAT});
}

void add_training(std::vector<Operation>& list) {
  const std::vector<std::vector<int64_t>> batches = {{64, 10}, {1024, 1024}};
  const std::vector<std::vector<int64_t>> layers = {{64, 128}, {1024, 1024}, {4096, 4096}};
  const Operand target = {.shape = {kRows}, .fill = Fill::index, .dtype = ACL_INT64};
  const Operand weight = {.shape = {kColumns}, .fill = Fill::positive};
  const auto add = [&](std::string name, std::string row, std::vector<Operand> inputs,
                       std::vector<Operand> outputs, const auto& sizes, bool streams = true) {
    list.push_back({.name = std::move(name),
                    .row = std::move(row),
                    .group = Group::training,
                    .inputs = std::move(inputs),
                    .outputs = std::move(outputs),
                    .sizes = sizes,
                    .streams = streams});
  };
  list.push_back({.name = "AdamW",
                  .row = "aclnnApplyAdamWV2 weightDecay=0 step=INT64",
                  .group = Group::optimizer,
                  .inputs = {kFull,
                             kFull,
                             {.fill = Fill::positive},
                             {.fill = Fill::gradient},
                             {.shape = {1}, .fill = Fill::index, .dtype = ACL_INT64}},
                  .outputs = {{.aliases = 0}, {.aliases = 1}, {.aliases = 2}},
                  .sizes = layers});
  add("LogSoftmax", "aclnnLogSoftmax dim=-1", {kFull}, {kFull}, batches);
  add("LogSoftmaxBackward", "aclnnLogSoftmaxBackward dim=-1", {kFull, {.fill = Fill::log_share}},
      {kFull}, batches);
  add("NLLLoss", "aclnnNLLLoss reduction=1 ignoreIndex=2", {kFull, target, weight},
      {kOneValue, kOneValue}, batches, false);
  add("NLLLossBackward", "aclnnNLLLossBackward reduction=1 ignoreIndex=2",
      {kOneValue, {.unread = true}, target, weight, {.shape = {}, .fill = Fill::positive}}, {kFull},
      batches, false);
  add("MseLoss", "aclnnMseLoss reduction=1", {kFull, kFull}, {kOneValue}, layers);
  add("MseLossBackward", "aclnnMseLossBackward reduction=1", {kOneValue, kFull, kFull}, {kFull},
      layers);
  // The row sums over the first and the last dimension: here the rows, and one of size 1.
  add("ReduceSum rows", "aclnnReduceSum dims=[0, -1]", {{.shape = {kRows, kColumns, 1}}},
      {{.shape = {kColumns}}}, layers);
  add("Add bias", "aclnnAdd alpha=-3", {kFull, {.shape = {kColumns}}}, {kFull}, layers);
}

using Operands = std::vector<Operand>;

void add_functions(std::vector<Operation>& list) {
  const auto add = [&](std::string name, std::string row, Operands inputs, Operand output = kFull) {
    list.push_back({.name = std::move(name),
                    .row = std::move(row),
                    .group = Group::network,
                    .inputs = std::move(inputs),
                    .outputs = {std::move(output)},
                    .sizes = {{256, 256}, {1024, 1024}},
                    .on_all_data = true});
  };
  const Operand gradient = {.fill = Fill::gradient}, positive = {.fill = Fill::positive};
  const Operand truth = {.dtype = ACL_BOOL}, half = {.shape = kHalfShape};
  const Operand condition = {.fill = Fill::index, .dtype = ACL_BOOL};
  for (const char* name : {"Exp", "Reciprocal", "Sin", "Cos", "Erf", "Neg", "Abs", "Tanh",
                           "Sigmoid", "Relu", "Silu"}) {
    add(name, std::string("aclnn") + name, {kFull});
  }
  for (const char* name : {"Log", "Sqrt", "Rsqrt"}) {
    add(name, std::string("aclnn") + name, {positive});
  }
  for (const char* name : {"TanhBackward", "SigmoidBackward", "SiluBackward"}) {
    add(name, std::string("aclnn") + name, {gradient, kFull});
  }
  add("Softplus", "aclnnSoftplus beta=1.5 threshold=6", {kFull});
  add("LeakyRelu", "aclnnLeakyRelu negativeSlope=0.125", {kFull});
  for (const char* name : {"Div", "Maximum", "Minimum"}) {
    add(name, std::string("aclnn") + name, {kFull, positive});
  }
  add("PowTensorScalar", "aclnnPowTensorScalar exponent=1.7", {positive});
  add("PowTensorTensor", "aclnnPowTensorTensor", {positive, kFull});
  add("GtScalar", "aclnnGtScalar", {kFull}, truth);
  add("EqTensor", "aclnnEqTensor", {kFull, kFull}, truth);
  add("SWhere", "aclnnSWhere", {condition, kFull, kFull});
  add("Clamp", "aclnnClamp clipValueMin=-1 clipValueMax=2", {kFull});
  add("Cat", "aclnnCat dim=1", {half, half});
  add("Permute", "aclnnPermute dims=[1, 0, -1]", {{.shape = {kRows, kColumns, 1}}},
      {.shape = {kColumns, kRows, 1}});
  add("Softmax", "aclnnSoftmax dim=-1", {kFull});
  add("SoftmaxBackward", "aclnnSoftmaxBackward dim=-1", {gradient, positive});
  const Operand per_row = {.shape = {kRows, 1}};
  add("ReduceSum", "aclnnReduceSum dims=[1] keepDims=true", {kFull}, per_row);
  add("Mean", "aclnnMean dim=[1] keepDim=true", {kFull}, per_row);
  add("Amax", "aclnnAmax dim=[1] keepDim=true", {kFull}, per_row);
  add("Var", "aclnnVar dim=[1] keepdim=true unbiased=true", {kFull}, per_row);
  add("Norm", "aclnnNorm pScalar=2 dim=[1] keepdim=true", {kFull}, per_row);
}

// The other activations, of which only what data does to them is measured.
void add_other_activations(std::vector<Operation>& list) {
  const auto add = [&](std::string name, std::string row, Operands inputs, Operands outputs) {
    list.push_back({.name = std::move(name),
                    .row = std::move(row),
                    .group = Group::network,
                    .inputs = std::move(inputs),
                    .outputs = std::move(outputs),
                    .on_all_data = true});
  };
  const Operand gradient = {.fill = Fill::gradient}, half = {.shape = kHalfShape};
  for (const char* name : {"FastGelu", "Hardsigmoid", "Hardtanh", "LogSigmoid", "Mish",
                           "Celu alpha=1.5", "Hardshrink lambd=0.3", "Softshrink lambd=0.3",
                           "Threshold threshold=1 value=3", "Logit eps=0.4375"}) {
    const std::string text = name;
    add(text.substr(0, text.find(' ')), "aclnn" + text, {kFull}, {kFull});
  }
  for (const char* name :
       {"FastGeluBackward", "HardsigmoidBackward", "HardtanhBackward", "MishBackward",
        "LeakyReluBackward negativeSlope=0.125", "SoftplusBackward beta=1.5 threshold=6",
        "HardshrinkBackward lambd=0.3", "SoftshrinkBackward lambd=0.3",
        "ThresholdBackward threshold=2", "LogitGrad eps=0.4375"}) {
    const std::string text = name;
    add(text.substr(0, text.find(' ')), "aclnn" + text, {gradient, kFull}, {kFull});
  }
  for (const char* name : {"Glu", "SwiGlu"}) {
    add(name, std::string("aclnn") + name + " dim=1", {kFull}, {half});
  }
  for (const char* name : {"GluBackward", "SwiGluGrad"}) {
    add(name, std::string("aclnn") + name + " dim=1",
        {{.shape = kHalfShape, .fill = Fill::gradient}, kFull}, {kFull});
  }
  add("Prelu", "aclnnPrelu weight=[1]", {kFull, {.shape = {1}, .fill = Fill::positive}}, {kFull});
}

void add_networks(std::vector<Operation>& list) {
  const auto add = [&](std::string name, std::string row, Operands inputs, Operands outputs,
                       std::vector<int64_t> size = {1024, 1024}, bool streams = true) {
    list.push_back({.name = std::move(name),
                    .row = std::move(row),
                    .group = Group::network,
                    .inputs = std::move(inputs),
                    .outputs = std::move(outputs),
                    .sizes = {std::move(size)},
                    .streams = streams});
  };
  const Operand weight = {.shape = {kColumns}, .fill = Fill::positive};
  const Operand indices = {.shape = {kRows}, .fill = Fill::index, .dtype = ACL_INT64};
  add("RmsNorm", "aclnnRmsNorm epsilon=0.001", {kFull, weight},
      {kFull, {.shape = {kRows, 1}, .dtype = ACL_FLOAT}});
  add("Embedding", "aclnnEmbedding indices=[7]", {{.shape = {64, kColumns}}, indices}, {kFull});
  add("DropoutDoMask", "aclnnDropoutDoMask prob=0.5",
      {kFull, {.shape = {1 << 17}, .fill = Fill::index, .dtype = ACL_UINT8}}, {kFull});
  add("L1Loss", "aclnnL1Loss reduction=1", {kFull, kFull}, {kOneValue});
  add("SmoothL1Loss", "aclnnSmoothL1Loss reduction=1 beta=1.5", {kFull, kFull}, {kOneValue});
  const Operand image = {.shape = {128, 32, 28, 28}}, pooled = {.shape = {128, 32, 14, 14}};
  const Operand places = {.shape = pooled.shape, .dtype = ACL_INT64};
  const std::vector<int64_t> of_image = {128 * 32, 28 * 28};
  add("MaxPool2d", "aclnnMaxPool2dWithIndices kernelSize=[2] stride=[] padding=[0]", {image},
      {pooled, places}, of_image);
  add("AvgPool2d", "aclnnAvgPool2d kernelSize=[2] strides=[] paddings=[0]", {image}, {pooled},
      of_image);
  const Operand channels = {.shape = {64}, .fill = Fill::positive};
  const Operand batch = {.shape = {8, 64, 28, 28}};
  add("Convolution",
      "aclnnConvolution input=[n, 3, 5, 4] weight=[4, 3, 3, 3] bias stride=[1, 1] padding=[1, 1] "
      "dilation=[1, 1] groups=1 cubeMathType=0 outputPadding=[0, 0]",
      {batch, {.shape = {64, 64, 3, 3}}, channels}, {batch}, {8 * 64, 28 * 28}, false);
}

void add_products(std::vector<Operation>& list) {
  const std::vector<std::vector<int64_t>> sizes = {
      {32, 16, 16}, {64, 32, 128}, {256, 256, 256}, {1024, 1024, 1024}};
  for (const char* which : {"", "a", "b"}) {
    const std::string transposed = which;
    list.push_back({.name = transposed.empty() ? "Matmul" : "Matmul transposed " + transposed,
                    .row = "aclnnMatmul cubeMathType=0",
                    .group = Group::matmul,
                    .inputs = {{.shape = {kRows, kInner}, .transposed = transposed == "a"},
                               {.shape = {kInner, kColumns}, .transposed = transposed == "b"}},
                    .outputs = {kFull},
                    .dtypes = {ACL_FLOAT, ACL_BF16},
                    .sizes = sizes,
                    .streams = false});
  }
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> list = [] {
    std::vector<Operation> made;
    add_activations(made);
    add_arithmetic(made);
    add_training(made);
    add_functions(made);
    add_other_activations(made);
    add_networks(made);
    add_products(made);
    return made;
  }();
  return list;
}

}  // namespace aclgrad::bench
