// SPDX-License-Identifier: Apache-2.0
// Attention in tiles beside the composition of products and softmax, forward and backward, by turns
// in one run:
//   bench_attention [ROUNDS]      (default: 30)
// Prints medians of milliseconds, and the resident memory before and after a long sequence.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/median.h"

namespace {

using namespace aclgrad;

double milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

Value composed(const Value& q, const Value& k, const Value& v, bool causal) {
  const std::int64_t queries = q.shape()[2], keys = k.shape()[2];
  Value scores = mul(matmul(q, transpose(k, -1, -2)), 1 / std::sqrt(double(q.shape()[3])));
  if (causal) {
    Tensor later = Tensor::zeros({queries, keys}, DType::boolean);
    for (std::int64_t i = 0; i < queries; ++i) {
      for (std::int64_t j = i + 1; j < keys; ++j) later.set(i * keys + j, 1);
    }
    scores = masked_fill(scores, q.graph().constant(later), -INFINITY);
  }
  return matmul(softmax(scores), v);
}

// One graph and its session, forward alone or with the gradients of all three.
class Contender {
 public:
  Contender(const Shape& shape, bool in_tiles, bool causal, bool with_gradients) {
    std::vector<Value> x;
    for (const char* name : {"q", "k", "v"}) {
      x.push_back(graph_.parameter(name, init::normal(shape, x.size() + 1)));
    }
    const Value y = in_tiles
                        ? scaled_dot_product_attention(x[0], x[1], x[2], {}, {.is_causal = causal})
                        : composed(x[0], x[1], x[2], causal);
    std::vector<Fetch> fetches = {y};
    if (with_gradients) {
      // A gradient that differs from place to place, as one of training.
      const Value weights = graph_.constant(init::normal(shape, 4));
      const Gradients gradients = backward(reduce_sum(mul(y, weights)), x);
      fetches.clear();
      for (const Value& each : x) fetches.emplace_back(gradients[each]);
    }
    session_ = std::make_unique<Session>(graph_, fetches);
    session_->run();
  }

  void run() {
    const double begin = milliseconds();
    session_->run();
    times_.push_back(milliseconds() - begin);
  }
  double time() const { return bench::median(times_); }

 private:
  Graph graph_;
  std::unique_ptr<Session> session_;
  std::vector<double> times_;
};

double resident_mib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return double(used.ru_maxrss) / 1024;
}

void measure(const Shape& shape, bool causal, int rounds) {
  for (const bool with_gradients : {false, true}) {
    Contender tiles(shape, true, causal, with_gradients);
    Contender composition(shape, false, causal, with_gradients);
    for (int i = 0; i < rounds; ++i) {
      tiles.run();
      composition.run();
    }
    fmt::print("{} {}{}: tiles {:.3f} ms, composition {:.3f} ms, {:.2f} times as fast\n", shape,
               with_gradients ? "forward and backward" : "forward", causal ? ", causal" : "",
               tiles.time(), composition.time(), composition.time() / tiles.time());
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 30;
  for (const bool causal : {false, true}) {
    measure({8, 4, 16, 32}, causal, 20 * rounds);
    measure({8, 4, 32, 32}, causal, 20 * rounds);
    measure({12, 4, 64, 32}, causal, 10 * rounds);
    measure({1, 8, 1024, 64}, causal, rounds);
  }
  const double before = resident_mib();
  Contender(Shape{1, 1, 16384, 64}, true, false, true);
  fmt::print("[1, 1, 16384, 64]: {:.0f} MiB more; scores would take 1024\n",
             resident_mib() - before);
}
