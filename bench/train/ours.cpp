// SPDX-License-Identifier: Apache-2.0
// Ours: the graph recorded and planned once, each step one run of the session, which is fed the
// batch anew as in any training loop.
#include <aclgrad/aclgrad.h>
#include <malloc.h>

#include <algorithm>

#include "bench/train/trainer.h"

namespace aclgrad::bench {
namespace {

class Ours : public Trainer {
 public:
  explicit Ours(const Workload& workload)
      : batch_(Tensor::zeros({workload.batch, workload.features()})),
        wanted_(workload.classifies() ? Tensor::zeros({workload.batch}, DType::int64)
                                      : Tensor::zeros({workload.batch, workload.results()})),
        x_(graph_.input("x", batch_.shape())),
        t_(graph_.input("t", wanted_.shape(), wanted_.dtype())) {
    fill_features(batch_.data<float>());
    if (workload.classifies()) {
      fill_labels(workload, wanted_.data<std::int64_t>());
    } else {
      fill_targets(wanted_.data<float>());
    }
    std::vector<Value> parameters;
    const Value output = network(workload, parameters);
    loss_ = workload.classifies() ? cross_entropy(output, t_) : mse_loss(output, t_);
    const Gradients gradients = backward(loss_, parameters);
    const Update update =
        workload.classifies()
            ? AdamW(
                  {.learning_rate = workload.learning_rate, .weight_decay = workload.weight_decay})
                  .step(graph_, gradients)
            : Sgd({.learning_rate = workload.learning_rate}).step(graph_, gradients);
    session_.emplace(graph_, std::vector<Fetch>{loss_, update});
  }

  void step() override { results_.emplace(session_->run({{x_, batch_}, {t_, wanted_}})); }
  double loss() override { return (*results_)[loss_].item(); }

  // The medians of many runs: single ones are noise.
  std::string profile() override {
    constexpr int kRuns = 21;
    std::vector<Profile> runs;
    for (int i = 0; i < kRuns; ++i)
      runs.push_back(session_->profile({{x_, batch_}, {t_, wanted_}}));
    Profile typical = runs.front();
    for (size_t node = 0; node < typical.nodes.size(); ++node) {
      std::vector<double> times;
      for (const Profile& run : runs) times.push_back(run.nodes[node].duration_us);
      std::ranges::nth_element(times, times.begin() + kRuns / 2);
      typical.nodes[node].duration_us = times[kRuns / 2];
    }
    return typical.to_string(typical.nodes.size());
  }

 private:
  Value network(const Workload& workload, std::vector<Value>& parameters) {
    Value value = x_;
    for (size_t layer = 0; layer < workload.layers.size(); ++layer) {
      const auto& [in, out] = workload.layers[layer];
      const std::string number = std::to_string(layer + 1);
      Tensor initial = Tensor::zeros({in, out});
      fill_weight(workload, layer, initial.data<float>());
      const Value weight = graph_.parameter("weight" + number, initial);
      const Value bias = graph_.parameter("bias" + number, Tensor::zeros({out}));
      parameters.insert(parameters.end(), {weight, bias});
      value = linear(value, weight, bias);
      if (layer + 1 < workload.layers.size()) value = activate(workload.kind, value);
    }
    return value;
  }

  static Value activate(Kind kind, const Value& x) {
    if (kind == Kind::elu_mse_sgd) return elu(x);
    if (kind == Kind::selu_cross_entropy_adamw) return selu(x);
    return geglu(x);
  }

  Tensor batch_;
  Tensor wanted_;
  Graph graph_;
  Value x_;
  Value t_;
  Value loss_;
  std::optional<Session> session_;
  std::optional<Results> results_;
};

}  // namespace

std::unique_ptr<Trainer> make_trainer(const Workload& workload, int threads) {
  // What is freed goes back to the system at once: the peak is then that of training, and not of
  // the numbers from which the weights were made.
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  set_num_threads(threads);
  return std::make_unique<Ours>(workload);
}

std::string trainer_version() { return "aclgrad"; }

}  // namespace aclgrad::bench
