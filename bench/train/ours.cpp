// SPDX-License-Identifier: Apache-2.0
// Ours: the graph recorded and planned once, each step one run of the session, which is fed the
// batch anew as in any training loop.
#include <aclgrad/aclgrad.h>
#include <malloc.h>

#include "bench/median.h"
#include "bench/network.h"
#include "bench/train/trainer.h"

namespace aclgrad::bench {
namespace {

class Ours : public Trainer {
 public:
  explicit Ours(const Workload& workload)
      : batch_(make_batch(workload, workload.batch)),
        x_(graph_.input("x", batch_.features.shape(), batch_.features.dtype())),
        t_(graph_.input("t", batch_.wanted.shape(), batch_.wanted.dtype())) {
    std::vector<Value> parameters;
    loss_ = record_loss(workload, x_, t_, parameters);
    const Update update = record_update(workload, graph_, backward(loss_, parameters));
    session_.emplace(graph_, std::vector<Fetch>{loss_, update});
  }

  void step() override {
    results_.emplace(session_->run({{x_, batch_.features}, {t_, batch_.wanted}}));
  }
  std::optional<double> loss() override { return (*results_)[loss_].item(); }

  // The medians of many runs: single ones are noise.
  std::string profile() override {
    constexpr int kRuns = 21;
    std::vector<Profile> runs;
    for (int i = 0; i < kRuns; ++i)
      runs.push_back(session_->profile({{x_, batch_.features}, {t_, batch_.wanted}}));
    Profile typical = runs.front();
    for (size_t node = 0; node < typical.nodes.size(); ++node) {
      std::vector<double> times;
      for (const Profile& run : runs) times.push_back(run.nodes[node].duration_us);
      typical.nodes[node].duration_us = median(times);
    }
    return typical.to_string(typical.nodes.size());
  }

 private:
  Batch batch_;
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
