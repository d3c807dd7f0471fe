// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/normalization.h"

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

std::int64_t positive(const Call& call, std::int64_t dim) {
  return static_cast<std::int64_t>(call.shape(0).normalize_axis(dim));
}

void refuse_statistics(const Call& call) {
  for (std::size_t k = 1; k < call.node().outputs.size(); ++k) {
    if (call.is_needed(k)) refuse("its statistics are no outputs there");
  }
}

// Over the last dimensions of x, those of weight.
Term layer_norm(const Call& call, const Term& x, const Term& weight, const Term& bias,
                std::int64_t axis, double eps) {
  refuse_statistics(call);
  return call.narrowed(op("LayerNormalization", {x, cast(weight, x.dtype), cast(bias, x.dtype)},
                          {{"axis", axis}, {"epsilon", eps}}));
}

// [1, C, 1, ...] of [C], to stand beside x [N, C, ...].
Term by_channel(const Term& of_channels, std::int64_t rank, DType dtype) {
  Ints dims(static_cast<std::size_t>(rank) - 1, 1);
  dims[0] = -1;
  return cast(reshape(of_channels, dims), dtype);
}

Term mean_over(const Term& x, const Ints& axes) {
  return op("ReduceMean", {x}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
}

// By the batch's own mean and variance: ONNX's training mode keeps another running variance.
Term batch_norm_in_training(const Call& call, double eps) {
  const Term x = call.wide(0);
  const std::int64_t rank = call.rank(0);
  Ints axes{0};
  for (std::int64_t axis = 2; axis < rank; ++axis) axes.push_back(axis);
  const Term centered = x - mean_over(x, axes);
  const Term spread = op("Sqrt", {mean_over(centered * centered, axes) + eps});
  return call.narrowed(centered / spread * by_channel(call.input(1), rank, x.dtype) +
                       by_channel(call.input(2), rank, x.dtype));
}

}  // namespace

void add_normalizations(Table& table) {
  table.add<SoftmaxOp>([](auto& a, Call& call) {
    return op("Softmax", {call.input(0)}, {{"axis", positive(call, a.dim)}});
  });
  table.add<LogSoftmaxOp>([](auto& a, Call& call) {
    return op("LogSoftmax", {call.input(0)}, {{"axis", positive(call, a.dim)}});
  });
  table.add<ScaledMaskedSoftmaxOp>([](auto& a, Call& call) {
    const Term x = call.wide(0) * a.scale;
    Term mask = call.input(1);
    if (a.fixed_triu_mask) {
      const Shape& shape = call.shape(0);
      const Tensor columns = Tensor::arange(shape[-1], 0, 1, DType::int64);
      const Tensor rows = Tensor::arange(shape[-2], 0, 1, DType::int64).reshape({-1, 1});
      mask = op("Greater", {constant(x, columns), constant(x, rows)}, {}, DType::boolean);
    }
    return call.narrowed(
        op("Softmax", {where(mask, number(x, -10000), x)}, {{"axis", std::int64_t{-1}}}));
  });
  table.add<LayerNormOp>([](auto& a, Call& call) {
    return layer_norm(call, call.input(0), call.input(1), call.input(2),
                      call.rank(0) - call.rank(1), a.eps);
  });
  table.add<DeepNormOp>([](auto& a, Call& call) {
    const Term x = call.wide(0) * a.alpha + call.wide(1);
    return layer_norm(call, x, call.input(3), call.input(2), call.rank(0) - call.rank(2), a.eps);
  });
  table.add<RmsNormOp>([](auto& a, Call& call) {
    refuse_statistics(call);
    Ints axes;
    for (std::int64_t axis = call.rank(0) - call.rank(1); axis < call.rank(0); ++axis) {
      axes.push_back(axis);
    }
    const Term x = call.wide(0);
    const Term rstd = op("Reciprocal", {op("Sqrt", {mean_over(x * x, axes) + a.eps})});
    return call.narrowed(x * rstd * cast(call.input(1), x.dtype));
  });
  table.add<BatchNormOp>([](auto& a, Call& call) {
    if (a.training) return batch_norm_in_training(call, a.eps);
    const DType statistics = call.dtype(3);
    return op("BatchNormalization",
              {call.input(0), call.input(1), cast(call.input(2), call.dtype(1)), call.input(3),
               cast(call.input(4), statistics)},
              {{"epsilon", a.eps}});
  });
  // The groups of a picture are the channels of one that ONNX normalizes each by itself.
  table.add<GroupNormOp>([](auto& a, Call& call) {
    refuse_statistics(call);
    const Term x = call.wide(0);
    Tensor ones = Tensor::full({a.groups}, 1, x.dtype);
    const Term grouped = op("Reshape", {x, ints(x, {0, a.groups, -1})});
    const Term normal =
        op("InstanceNormalization",
           {grouped, constant(x, ones), constant(x, Tensor::zeros({a.groups}, x.dtype))},
           {{"epsilon", a.eps}});
    return call.narrowed(call.reshape_to(normal, call.extents(0)) *
                             by_channel(call.input(1), call.rank(0), x.dtype) +
                         by_channel(call.input(2), call.rank(0), x.dtype));
  });
}

}  // namespace aclgrad::onnx::saving
