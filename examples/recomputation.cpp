// SPDX-License-Identifier: Apache-2.0
// Trains transformers of growing depth twice: keeping every activation for backward, and computing
// those of each block again. The losses have the same bits; memory grows by the input of a block
// instead of by all that it computes.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <chrono>

using namespace aclgrad;

namespace {

constexpr std::int64_t kWidth = 128;
constexpr int kSteps = 6;

struct Transformer : Module {
  Transformer(int depth, bool again) : recomputes(again) {
    for (int i = 0; i < depth; ++i) {
      blocks.emplace_back(child(fmt::format("blocks.{}", i)), kWidth, /*heads=*/4, /*hidden=*/256);
    }
  }
  Value operator()(Value x) const {
    for (const TransformerBlock& block : blocks) x = recomputes ? checkpointed(block)(x) : block(x);
    return out(mean(x, {1}));
  }

  bool recomputes;
  std::vector<TransformerBlock> blocks;
  Linear out{child("out"), kWidth, 10};
};

struct Run {
  double mebibytes = 0;     // of the session's plan: activations, gradients, workspace
  double milliseconds = 0;  // of a step, the least
  std::vector<double> losses;
};

Run train(int depth, bool recomputes) {
  const Transformer model(depth, recomputes);
  const Graph graph;
  const Value x = graph.input("x", {8, 64, kWidth});
  const Value labels = graph.input("labels", {8}, DType::int64);
  const Value loss = cross_entropy(model(x), labels);
  AdamW optimizer({.learning_rate = 1e-3});
  Session session(graph, {loss, optimizer.step(graph, backward(loss, model.parameters(graph)))});
  const Tensor features = init::normal(x.shape(), /*seed=*/1);
  const Tensor classes = Tensor::arange(8, 0, 1, DType::int64);
  Run run{.mebibytes = static_cast<double>(session.device_bytes()) / (1 << 20),
          .milliseconds = 1e9,
          .losses = {}};
  for (int step = 0; step < kSteps; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    run.losses.push_back(session.run({{x, features}, {labels, classes}})[loss].item());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    run.milliseconds = std::min(run.milliseconds, took.count());
  }
  return run;
}

}  // namespace

int main() {
  fmt::print("blocks      kept              computed again\n");
  bool same = true;
  for (const int depth : {2, 4, 8, 16}) {
    const Run kept = train(depth, false), again = train(depth, true);
    fmt::print("{:6}  {:6.1f} MiB {:6.1f} ms  {:6.1f} MiB {:6.1f} ms\n", depth, kept.mebibytes,
               kept.milliseconds, again.mebibytes, again.milliseconds);
    same = same && kept.losses == again.losses;
  }
  fmt::print("{}\n", same ? "All losses have the same bits." : "The losses differ.");
  return same ? 0 : 1;
}
