// SPDX-License-Identifier: Apache-2.0
// libtorch's ATen kernels on the CPU, each called as the framework calls it. Where it has a form
// that writes a given tensor, that is taken; compositions allocate their intermediate results, as
// the framework's autograd does.

// First, as clang wants it complete where the headers below make vectors of it.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/version.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>

#include "bench/peers/openblas.h"
#include "bench/peers/peers.h"

namespace aclgrad::bench {
namespace {

struct Tensors {
  std::vector<at::Tensor> in;
  std::vector<at::Tensor> out;
};
using Kernel = void (*)(Tensors& t);

// The attributes of the rows of tests/cases.
constexpr double kEluAlpha = 1.25;
constexpr double kEluScale = 0.75;
constexpr double kEluInputScale = 1.5;
constexpr double kFactor = -3;
constexpr int64_t kIgnored = 2;
constexpr int64_t kMean = at::Reduction::Mean;

template <bool is_result>
void elu_backward(Tensors& t) {
  at::elu_backward_out(t.out[0], t.in[0], 1, 1, 1, is_result, t.in[1]);
}

template <bool is_result>
void scaled_elu_backward(Tensors& t) {
  at::elu_backward_out(t.out[0], t.in[0], kEluAlpha, kEluScale, kEluInputScale, is_result, t.in[1]);
}

template <bool tanh_form>
constexpr const char* form() {
  return tanh_form ? "tanh" : "none";
}

template <bool tanh_form>
void gelu(Tensors& t) {
  at::gelu_out(t.out[0], t.in[0], form<tanh_form>());
}

template <bool tanh_form>
void gelu_backward(Tensors& t) {
  at::gelu_backward_out(t.out[0], t.in[0], t.in[1], form<tanh_form>());
}

// Outputs: A * gelu(B) and gelu(B), of self = [A, B].
template <bool tanh_form>
void geglu(Tensors& t) {
  const std::vector<at::Tensor> halves = t.in[0].chunk(2, -1);
  at::gelu_out(t.out[1], halves[1], form<tanh_form>());
  at::mul_out(t.out[0], halves[0], t.out[1]);
}

// What autograd does for it. Inputs: gradient, self, gelu.
template <bool tanh_form>
void geglu_backward(Tensors& t) {
  const std::vector<at::Tensor> halves = t.in[1].chunk(2, -1);
  const at::Tensor left = at::mul(t.in[0], t.in[2]);
  const at::Tensor activated = at::mul(t.in[0], halves[0]);
  const at::Tensor right = at::gelu_backward(activated, halves[1], form<tanh_form>());
  at::cat_out(t.out[0], {left, right}, -1);
}

// One step of the framework's AdamW, composed of its calls for lists of tensors.
void adam_w(Tensors& t) {
  constexpr double lr = 0.01, beta1 = 0.875, beta2 = 0.9375, decay = 0.125, eps = 1e-6;
  constexpr double step = 4;
  const at::TensorList parameter(t.in[0]), m(t.in[1]), v(t.in[2]), gradient(t.in[3]);
  at::_foreach_mul_(parameter, at::Scalar(1 - lr * decay));
  at::_foreach_mul_(m, at::Scalar(beta1));
  at::_foreach_add_(m, gradient, 1 - beta1);
  at::_foreach_mul_(v, at::Scalar(beta2));
  at::_foreach_addcmul_(v, gradient, gradient, 1 - beta2);
  const std::vector<at::Tensor> denominator = at::_foreach_sqrt(v);
  at::_foreach_div_(denominator, at::Scalar(std::sqrt(1 - std::pow(beta2, step))));
  at::_foreach_add_(denominator, at::Scalar(eps));
  at::_foreach_addcdiv_(parameter, m, denominator, -lr / (1 - std::pow(beta1, step)));
}

// Its form that writes a given tensor makes that one as large as the inputs first.
void mse_loss(Tensors& t) {
  const at::Tensor loss = at::mse_loss(t.in[0], t.in[1], kMean);
  std::memcpy(t.out[0].data_ptr(), loss.data_ptr(), loss.nbytes());
}

void convert(Tensors& t) { t.out[0].copy_(t.in.back()); }
void add(Tensors& t) { at::add_out(t.out[0], t.in[0], t.in[1], kFactor); }
void matmul(Tensors& t) { at::mm_out(t.out[0], t.in[0], t.in[1]); }
void hardswish_backward(Tensors& t) { at::hardswish_backward_out(t.out[0], t.in[0], t.in[1]); }

constexpr const char* kCapability = "ATEN_CPU_CAPABILITY";

const std::map<std::string, Kernel>& kernels() {
  static const std::map<std::string, Kernel> table = {
      {"Selu", [](Tensors& t) { at::elu_out(t.out[0], t.in[0], kSeluAlpha, kSeluLambda, 1); }},
      {"SeluBackward",
       [](Tensors& t) {
         at::elu_backward_out(t.out[0], t.in[0], kSeluAlpha, kSeluLambda, 1, true, t.in[1]);
       }},
      {"Elu", [](Tensors& t) { at::elu_out(t.out[0], t.in[0], 1, 1, 1); }},
      {"EluBackward self", elu_backward<false>},
      {"EluBackward result", elu_backward<true>},
      {"Elu scaled",
       [](Tensors& t) { at::elu_out(t.out[0], t.in[0], kEluAlpha, kEluScale, kEluInputScale); }},
      {"EluBackward scaled self", scaled_elu_backward<false>},
      {"EluBackward scaled result", scaled_elu_backward<true>},
      {"Hardswish", [](Tensors& t) { at::hardswish_out(t.out[0], t.in[0]); }},
      {"HardswishBackward", hardswish_backward},
      {"HardswishBackwardV2", hardswish_backward},
      {"Gelu erf", gelu<false>},
      {"Gelu tanh", gelu<true>},
      {"GeluBackward erf", gelu_backward<false>},
      {"GeluBackward tanh", gelu_backward<true>},
      {"GeGlu erf", geglu<false>},
      {"GeGlu tanh", geglu<true>},
      {"GeGluBackward erf", geglu_backward<false>},
      {"GeGluBackward tanh", geglu_backward<true>},
      {"Add", add},
      {"Add bias", add},
      {"Mul", [](Tensors& t) { at::mul_out(t.out[0], t.in[0], t.in[1]); }},
      {"Muls", [](Tensors& t) { at::mul_outf(t.in[0], at::Scalar(2.0), t.out[0]); }},
      {"Copy", convert},
      {"Cast to FLOAT", convert},
      {"Cast to FLOAT16", convert},
      {"Cast to BFLOAT16", convert},
      {"LogSoftmax", [](Tensors& t) { at::_log_softmax_out(t.out[0], t.in[0], -1, false); }},
      {"LogSoftmaxBackward",
       [](Tensors& t) {
         at::_log_softmax_backward_data_out(t.out[0], t.in[0], t.in[1], -1, t.in[1].scalar_type());
       }},
      {"NLLLoss",
       [](Tensors& t) {
         at::nll_loss_forward_out(t.out[0], t.out[1], t.in[0], t.in[1], t.in[2], kMean, kIgnored);
       }},
      {"NLLLossBackward",
       [](Tensors& t) {
         at::nll_loss_backward_out(t.out[0], t.in[0], t.in[1], t.in[2], t.in[3], kMean, kIgnored,
                                   t.in[4]);
       }},
      {"MseLoss", mse_loss},
      {"MseLossBackward",
       [](Tensors& t) { at::mse_loss_backward_out(t.out[0], t.in[0], t.in[1], t.in[2], kMean); }},
      {"AdamW", adam_w},
      {"ReduceSum rows",
       [](Tensors& t) {
         at::sum_out(t.out[0], t.in[0], at::IntArrayRef{0, 2});
       }},
      {"Matmul", matmul},
      {"Matmul transposed a", matmul},
      {"Matmul transposed b", matmul},
  };
  return table;
}

at::ScalarType type(aclDataType dtype) {
  if (dtype == ACL_FLOAT) return at::kFloat;
  if (dtype == ACL_FLOAT16) return at::kHalf;
  if (dtype == ACL_BF16) return at::kBFloat16;
  if (dtype == ACL_INT64) return at::kLong;
  throw std::invalid_argument("a dtype that no benchmark has");
}

std::vector<at::Tensor> wrap(const std::vector<View>& views) {
  std::vector<at::Tensor> tensors;
  for (const View& view : views) {
    tensors.push_back(at::from_blob(view.data, view.shape, view.strides, type(view.dtype)));
  }
  return tensors;
}

class Torch : public Contender {
 public:
  // Which kernels it takes is decided once per process, by the variable ATEN_CPU_CAPABILITY.
  std::string name() const override {
    const char* capability = std::getenv(kCapability);
    return capability == nullptr ? "ATen" : std::string("ATen ") + capability;
  }
  std::string version() const override { return "(libtorch) " TORCH_VERSION; }
  void set_threads(int count) override {
    at::set_num_threads(count);
    set_openblas_threads(count);
  }

  Call prepare(const Problem& problem) override {
    const auto kernel = kernels().find(problem.operation);
    if (kernel == kernels().end()) return nullptr;
    Tensors tensors{wrap(problem.inputs), wrap(problem.outputs)};
    const c10::NoGradGuard no_gradients;
    try {
      kernel->second(tensors);
    } catch (const c10::Error&) {
      return nullptr;  // not for this dtype
    }
    return [tensors, run = kernel->second]() mutable {
      const c10::NoGradGuard inside;
      run(tensors);
    };
  }
};

}  // namespace

std::optional<std::string> torch_setting() {
#ifdef __x86_64__
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  if (avx512 && std::getenv(kCapability) == nullptr) return std::string(kCapability) + "=avx512";
#endif
  return std::nullopt;
}

std::unique_ptr<Contender> torch() { return std::make_unique<Torch>(); }

}  // namespace aclgrad::bench
