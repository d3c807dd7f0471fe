// SPDX-License-Identifier: Apache-2.0
// libtorch's C++ interface, eager: modules, autograd and optimizers as its documents show them. The
// batch stands in its memory already; nothing is copied for a step.

#include <ATen/autocast_mode.h>
#include <torch/version.h>

#include <fstream>
#include <span>

#include "bench/peers/openblas.h"
#include "bench/resnet.h"
#include "bench/train/torch_networks.h"
#include "bench/train/trainer.h"

namespace aclgrad::bench {
namespace {

// Its memory, to be filled.
template <class T>
std::span<T> memory(torch::Tensor& tensor) {
  return {tensor.data_ptr<T>(), static_cast<size_t>(tensor.numel())};
}

// Gives it the numbers that all others have.
void initialize(TorchNetwork& network) {
  const torch::NoGradGuard filling;
  for (const auto& module : network.named_modules()) {
    for (auto& parameter : module.value()->named_parameters(/*recurse=*/false)) {
      torch::Tensor& values = parameter.value();
      if (parameter.key() == "bias") values.zero_();
      if (values.dim() < 2) continue;
      const bool is_linear = module.value()->as<torch::nn::Linear>() != nullptr;
      // In our layout, which for linear layers is the transposed one.
      torch::Tensor ours =
          torch::empty_like(is_linear ? values.t() : values, torch::MemoryFormat::Contiguous);
      const std::span<const int64_t> shape(ours.sizes().data(), ours.sizes().size());
      fill_weight(module.key() + "." + parameter.key(), shape, memory<float>(ours));
      values.copy_(is_linear ? ours.t() : ours);
    }
  }
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const Workload& workload,
                                                        const std::vector<torch::Tensor>& all) {
  const double rate = workload.learning_rate;
  const auto adamw = [&](double decay) {
    auto options = std::make_unique<torch::optim::AdamWOptions>(rate);
    options->weight_decay(decay);
    if (workload.kind == Kind::transformer) options->betas({0.9, 0.99});
    return options;
  };
  switch (workload.kind) {
    case Kind::selu_cross_entropy_adamw:
      return std::make_unique<torch::optim::AdamW>(all, *adamw(workload.weight_decay));
    case Kind::convolution:
      return std::make_unique<torch::optim::Adam>(all, torch::optim::AdamOptions(rate));
    case Kind::transformer:
    case Kind::mobilenet: {
      std::vector<torch::Tensor> matrices, others;
      for (const torch::Tensor& each : all) (each.dim() >= 2 ? matrices : others).push_back(each);
      return std::make_unique<torch::optim::AdamW>(
          std::vector<torch::optim::OptimizerParamGroup>{{matrices, adamw(workload.weight_decay)},
                                                         {others, adamw(0)}},
          *adamw(0));
    }
    case Kind::resnet:
      return std::make_unique<torch::optim::SGD>(
          all, torch::optim::SGDOptions(rate).momentum(::resnet::kMomentum));
    default:
      return std::make_unique<torch::optim::SGD>(all, torch::optim::SGDOptions(rate));
  }
}

void enable_autocast(bool enabled) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, enabled);
#else
  at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
  at::autocast::set_cpu_enabled(enabled);
#endif
}

class Torch : public Trainer {
 public:
  explicit Torch(const Workload& workload)
      : workload_(workload),
        is_text_(workload.kind == Kind::transformer),
        batch_(torch::empty(workload.features_shape(workload.batch),
                            is_text_ ? torch::kLong : torch::kFloat)),
        wanted_(torch::empty(workload.wanted_shape(workload.batch),
                             workload.classifies() ? torch::kLong : torch::kFloat)),
        network_(make_network(workload)),
        parameters_(network_->parameters()),
        optimizer_(make_optimizer(workload, parameters_)) {
    if (is_text_) {
      fill_characters(workload, memory<int64_t>(batch_));
    } else {
      fill_features(memory<float>(batch_));
    }
    if (workload.classifies()) {
      fill_labels(workload, memory<int64_t>(wanted_));
      wanted_ = wanted_.flatten();
    } else {
      fill_targets(memory<float>(wanted_));
    }
    initialize(*network_);
  }

  void step() override {
    // Gradients that are not there need not be zeroed and added to: its fastest way.
    for (torch::Tensor& parameter : parameters_) parameter.mutable_grad() = torch::Tensor();
    const torch::Tensor result = forward();
    loss_ = workload_.classifies()
                ? torch::nn::functional::cross_entropy(result.flatten(0, -2), wanted_)
                : torch::nn::functional::mse_loss(result, wanted_);
    loss_.backward();
    if (is_text_) torch::nn::utils::clip_grad_norm_(parameters_, 1);
    optimizer_->step();
  }

  std::optional<double> loss() override { return loss_.item<double>(); }

 private:
  // Autocast chooses which operators compute in bfloat16; the loss and backward are outside of it.
  torch::Tensor forward() {
    if (!workload_.bfloat16) return network_->forward(batch_);
    enable_autocast(true);
    const torch::Tensor result = network_->forward(batch_).to(torch::kFloat);
    at::autocast::clear_cache();
    enable_autocast(false);
    return result;
  }

  const Workload& workload_;
  bool is_text_;
  torch::Tensor batch_;
  torch::Tensor wanted_;
  std::shared_ptr<TorchNetwork> network_;
  std::vector<torch::Tensor> parameters_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  torch::Tensor loss_;
};

// The library that does its matrix products, as the system resolved it.
std::string blas() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash);
    if (path.find("blas") == std::string::npos) continue;
    // The folder tells the variant: .../openblas-openmp/libblas.so.3
    const size_t file = path.rfind('/');
    const size_t folder = path.rfind('/', file - 1);
    return path.substr(folder + 1);
  }
  return "no BLAS";
}

}  // namespace

std::unique_ptr<Trainer> make_trainer(const Workload& workload, int threads) {
  torch::set_num_threads(threads);
  set_openblas_threads(threads);
  return std::make_unique<Torch>(workload);
}

std::string trainer_version() {
  return std::string("libtorch ") + TORCH_VERSION + " with " + blas();
}

}  // namespace aclgrad::bench
