// SPDX-License-Identifier: Apache-2.0
// libtorch's C++ interface, eager: modules, autograd and optimizers as its documents show them. The
// batch stands in its memory already; nothing is copied for a step.

// First, as clang wants it complete where the headers below make vectors of it.
#include <ATen/core/ivalue.h>

#include <torch/torch.h>
#include <torch/version.h>

#include <fstream>

#include "bench/peers/openblas.h"
#include "bench/train/trainer.h"

namespace aclgrad::bench {
namespace {

// Its memory, to be filled.
template <class T>
std::span<T> memory(torch::Tensor& tensor) {
  return {tensor.data_ptr<T>(), static_cast<size_t>(tensor.numel())};
}

class Torch : public Trainer {
 public:
  explicit Torch(const Workload& workload)
      : kind_(workload.kind),
        batch_(torch::empty({workload.batch, workload.features()})),
        wanted_(workload.classifies() ? torch::empty({workload.batch}, torch::kLong)
                                      : torch::empty({workload.batch, workload.results()})) {
    fill_features(memory<float>(batch_));
    if (workload.classifies()) {
      fill_labels(workload, memory<int64_t>(wanted_));
    } else {
      fill_targets(memory<float>(wanted_));
    }
    const torch::NoGradGuard filling;
    std::vector<torch::Tensor>& parameters = parameters_;
    for (size_t layer = 0; layer < workload.layers.size(); ++layer) {
      const auto& [in, out] = workload.layers[layer];
      torch::nn::Linear linear(in, out);
      torch::Tensor weight = torch::empty({in, out});  // its own is [out, in]
      fill_weight(workload, layer, memory<float>(weight));
      linear->weight.copy_(weight.t());
      linear->bias.zero_();
      for (const torch::Tensor& parameter : linear->parameters()) parameters.push_back(parameter);
      layers_.push_back(linear);
    }
    if (workload.classifies()) {
      optimizer_ = std::make_unique<torch::optim::AdamW>(
          parameters,
          torch::optim::AdamWOptions(workload.learning_rate).weight_decay(workload.weight_decay));
    } else {
      optimizer_ = std::make_unique<torch::optim::SGD>(
          parameters, torch::optim::SGDOptions(workload.learning_rate));
    }
  }

  void step() override {
    // Gradients that are not there need not be zeroed and added to: its fastest way.
    for (torch::Tensor& parameter : parameters_) parameter.mutable_grad() = torch::Tensor();
    torch::Tensor value = batch_;
    for (size_t layer = 0; layer < layers_.size(); ++layer) {
      value = layers_[layer](value);
      if (layer + 1 < layers_.size()) value = activate(value);
    }
    loss_ = kind_ == Kind::selu_cross_entropy_adamw
                ? torch::nn::functional::cross_entropy(value, wanted_)
                : torch::nn::functional::mse_loss(value, wanted_);
    loss_.backward();
    optimizer_->step();
  }

  std::optional<double> loss() override { return loss_.item<double>(); }

 private:
  torch::Tensor activate(const torch::Tensor& x) const {
    if (kind_ == Kind::elu_mse_sgd) return torch::elu(x);
    if (kind_ == Kind::selu_cross_entropy_adamw) return torch::selu(x);
    const std::vector<torch::Tensor> halves = x.chunk(2, -1);
    return halves[0] * torch::gelu(halves[1]);
  }

  Kind kind_;
  torch::Tensor batch_;
  torch::Tensor wanted_;
  std::vector<torch::nn::Linear> layers_;
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
