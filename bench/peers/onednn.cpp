// SPDX-License-Identifier: Apache-2.0
// oneDNN: primitives made once, executed bare.
#include <cmath>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <unordered_map>

#include "bench/peers/onednn_primitives.h"
#include "bench/peers/openmp.h"
#include "bench/peers/peers.h"

namespace aclgrad::bench {
namespace {

using dnnl::algorithm;
using dnnl::memory;

class OneDnn : public Contender {
 public:
  std::string name() const override { return "oneDNN"; }

  std::string version() const override {
    const dnnl_version_t* version = dnnl_version();
    return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
  }

  void set_threads(int count) override { set_openmp_threads(count); }

  Call prepare(const Problem& problem) override {
    const auto maker = makers().find(problem.operation);
    if (maker == makers().end()) return nullptr;
    for (const View& view : problem.inputs) {
      if (!type(view.dtype)) return nullptr;
    }
    try {
      return (this->*maker->second)(problem);
    } catch (const dnnl::error&) {
      return nullptr;  // not for this dtype or layout
    }
  }

 private:
  using Maker = Call (OneDnn::*)(const Problem&);
  using Arguments = std::unordered_map<int, memory>;

  static std::optional<memory::data_type> type(aclDataType dtype) {
    if (dtype == ACL_FLOAT) return memory::data_type::f32;
    if (dtype == ACL_BF16) return memory::data_type::bf16;
    if (dtype == ACL_FLOAT16) return memory::data_type::f16;
    return std::nullopt;
  }

  static memory::desc desc(const View& view) {
    return {view.shape, type(view.dtype).value(), view.strides};
  }

  memory wrap(const View& view) { return {desc(view), engine_, view.data}; }

  Call call(dnnl::primitive primitive, Arguments arguments) {
    primitive.execute(stream_, arguments);
    stream_.wait();
    return [this, primitive, arguments] {
      primitive.execute(stream_, arguments);
      stream_.wait();
    };
  }

  // Its vector code takes dense tensors only; for others there is nothing but reference code.
  template <algorithm kind>
  Call forward(const Problem& p) {
    if (!p.contiguous) return nullptr;
    const auto made = describe_eltwise(engine_, kind, desc(p.inputs[0]), alpha(p));
    return call(dnnl::eltwise_forward(made),
                {{DNNL_ARG_SRC, wrap(p.inputs[0])}, {DNNL_ARG_DST, wrap(p.outputs[0])}});
  }

  // Inputs: gradient, then the forward's input or output.
  template <algorithm kind, int data = DNNL_ARG_SRC>
  Call backward(const Problem& p) {
    if (!p.contiguous) return nullptr;
    const auto made = describe_eltwise_backward(engine_, kind, desc(p.inputs[0]), alpha(p));
    return call(dnnl::eltwise_backward(made), {{DNNL_ARG_DIFF_DST, wrap(p.inputs[0])},
                                               {data, wrap(p.inputs[1])},
                                               {DNNL_ARG_DIFF_SRC, wrap(p.outputs[0])}});
  }

  // It has no SELU: what it runs in its place is the bare ELU.
  static float alpha(const Problem& p) {
    return p.operation.starts_with("Selu") ? static_cast<float>(kSeluLambda * kSeluAlpha) : 1;
  }

  template <algorithm kind>
  Call binary(const Problem& p) {
    if (!p.contiguous) return nullptr;
    View other = p.inputs[1];
    if (other.shape.size() == 1) {  // a bias
      other.shape.insert(other.shape.begin(), 1);
      other.strides.insert(other.strides.begin(), other.shape[1]);
    }
    const auto made =
        describe<dnnl::binary>(engine_, kind, desc(p.inputs[0]), desc(other), desc(p.outputs[0]));
    return call(dnnl::binary(made), {{DNNL_ARG_SRC_0, wrap(p.inputs[0])},
                                     {DNNL_ARG_SRC_1, wrap(other)},
                                     {DNNL_ARG_DST, wrap(p.outputs[0])}});
  }

  Call reorder(const Problem& p) {
    if (!p.contiguous) return nullptr;
    const memory from = wrap(p.inputs.back());
    const memory to = wrap(p.outputs[0]);
    return call(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  Call matmul(const Problem& p) {
    const auto made =
        describe<dnnl::matmul>(engine_, desc(p.inputs[0]), desc(p.inputs[1]), desc(p.outputs[0]));
    return call(dnnl::matmul(made), {{DNNL_ARG_SRC, wrap(p.inputs[0])},
                                     {DNNL_ARG_WEIGHTS, wrap(p.inputs[1])},
                                     {DNNL_ARG_DST, wrap(p.outputs[0])}});
  }

  Call softmax(const Problem& p) {
    const auto made = describe_softmax(engine_, desc(p.inputs[0]), 1);
    return call(dnnl::softmax_forward(made),
                {{DNNL_ARG_SRC, wrap(p.inputs[0])}, {DNNL_ARG_DST, wrap(p.outputs[0])}});
  }

  template <algorithm kind>
  Call pooling(const Problem& p) {
    const auto made = describe_pooling(engine_, kind, desc(p.inputs[0]), desc(p.outputs[0]));
    Arguments arguments = {{DNNL_ARG_SRC, wrap(p.inputs[0])}, {DNNL_ARG_DST, wrap(p.outputs[0])}};
    if (kind == algorithm::pooling_max) {
      arguments[DNNL_ARG_WORKSPACE] = memory(made.workspace_desc(), engine_);
    }
    return call(dnnl::pooling_forward(made), arguments);
  }

  // A kernel of 3 by 3 over an image with a border of one.
  Call convolution(const Problem& p) {
    const memory::dims one = {1, 1};
    const auto made = describe<dnnl::convolution_forward>(
        engine_, dnnl::prop_kind::forward_training, algorithm::convolution_direct,
        desc(p.inputs[0]), desc(p.inputs[1]), desc(p.inputs[2]), desc(p.outputs[0]), one, one, one);
    return call(dnnl::convolution_forward(made), {{DNNL_ARG_SRC, wrap(p.inputs[0])},
                                                  {DNNL_ARG_WEIGHTS, wrap(p.inputs[1])},
                                                  {DNNL_ARG_BIAS, wrap(p.inputs[2])},
                                                  {DNNL_ARG_DST, wrap(p.outputs[0])}});
  }

  Call log_softmax(const Problem& p) {
    const auto made = describe_log_softmax(engine_, desc(p.inputs[0]), 1);
    return call(LogSoftmaxForward(made),
                {{DNNL_ARG_SRC, wrap(p.inputs[0])}, {DNNL_ARG_DST, wrap(p.outputs[0])}});
  }

  Call log_softmax_backward(const Problem& p) {
    const auto made = describe_log_softmax_backward(engine_, desc(p.inputs[0]), 1);
    return call(LogSoftmaxBackward(made), {{DNNL_ARG_DIFF_DST, wrap(p.inputs[0])},
                                           {DNNL_ARG_DST, wrap(p.inputs[1])},
                                           {DNNL_ARG_DIFF_SRC, wrap(p.outputs[0])}});
  }

  Call reduce_rows(const Problem& p) {
    View sum = p.outputs[0];
    sum.shape = {1, sum.shape[0], 1};
    sum.strides = {sum.shape[1], 1, 1};
    const auto made = describe<dnnl::reduction>(engine_, algorithm::reduction_sum,
                                                desc(p.inputs[0]), desc(sum), 0.0F, 0.0F);
    return call(dnnl::reduction(made),
                {{DNNL_ARG_SRC, wrap(p.inputs[0])}, {DNNL_ARG_DST, wrap(sum)}});
  }

  static const std::map<std::string, Maker>& makers() {
    static const std::map<std::string, Maker> table = {
        {"Selu", &OneDnn::forward<algorithm::eltwise_elu>},
        {"SeluBackward", &OneDnn::backward<algorithm::eltwise_elu_use_dst_for_bwd, DNNL_ARG_DST>},
        {"Elu", &OneDnn::forward<algorithm::eltwise_elu>},
        {"EluBackward self", &OneDnn::backward<algorithm::eltwise_elu>},
        {"EluBackward result",
         &OneDnn::backward<algorithm::eltwise_elu_use_dst_for_bwd, DNNL_ARG_DST>},
        {"Hardswish", &OneDnn::forward<algorithm::eltwise_hardswish>},
        {"HardswishBackward", &OneDnn::backward<algorithm::eltwise_hardswish>},
        {"HardswishBackwardV2", &OneDnn::backward<algorithm::eltwise_hardswish>},
        {"Gelu erf", &OneDnn::forward<algorithm::eltwise_gelu_erf>},
        {"Gelu tanh", &OneDnn::forward<algorithm::eltwise_gelu_tanh>},
        {"GeluBackward erf", &OneDnn::backward<algorithm::eltwise_gelu_erf>},
        {"GeluBackward tanh", &OneDnn::backward<algorithm::eltwise_gelu_tanh>},
        {"Mul", &OneDnn::binary<algorithm::binary_mul>},
        {"Exp", &OneDnn::forward<algorithm::eltwise_exp>},
        {"Log", &OneDnn::forward<algorithm::eltwise_log>},
        {"Sqrt", &OneDnn::forward<algorithm::eltwise_sqrt>},
        {"Abs", &OneDnn::forward<algorithm::eltwise_abs>},
        {"Tanh", &OneDnn::forward<algorithm::eltwise_tanh>},
        {"Sigmoid", &OneDnn::forward<algorithm::eltwise_logistic>},
        {"Silu", &OneDnn::forward<algorithm::eltwise_swish>},
        {"SiluBackward", &OneDnn::backward<algorithm::eltwise_swish>},
        {"TanhBackward", &OneDnn::backward<algorithm::eltwise_tanh_use_dst_for_bwd, DNNL_ARG_DST>},
        {"SigmoidBackward",
         &OneDnn::backward<algorithm::eltwise_logistic_use_dst_for_bwd, DNNL_ARG_DST>},
        {"Div", &OneDnn::binary<algorithm::binary_div>},
        {"Maximum", &OneDnn::binary<algorithm::binary_max>},
        {"Minimum", &OneDnn::binary<algorithm::binary_min>},
        {"Softmax", &OneDnn::softmax},
        {"MaxPool2d", &OneDnn::pooling<algorithm::pooling_max>},
        {"AvgPool2d", &OneDnn::pooling<algorithm::pooling_avg_exclude_padding>},
        {"Convolution", &OneDnn::convolution},
        {"Copy", &OneDnn::reorder},
        {"Cast to FLOAT", &OneDnn::reorder},
        {"Cast to FLOAT16", &OneDnn::reorder},
        {"Cast to BFLOAT16", &OneDnn::reorder},
        {"Matmul", &OneDnn::matmul},
        {"Matmul transposed a", &OneDnn::matmul},
        {"Matmul transposed b", &OneDnn::matmul},
        {"LogSoftmax", &OneDnn::log_softmax},
        {"LogSoftmaxBackward", &OneDnn::log_softmax_backward},
        {"ReduceSum rows", &OneDnn::reduce_rows},
    };
    return table;
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
};

}  // namespace

std::unique_ptr<Contender> onednn() { return std::make_unique<OneDnn>(); }

}  // namespace aclgrad::bench
