// SPDX-License-Identifier: Apache-2.0
// Attention in tiles beside the composition of products and softmax, and beside libtorch where it
// is installed, forward and backward, by turns in one run:
//   bench_attention [ROUNDS]      (default: 30; --help has the rest)
// Prints medians of milliseconds, and the resident memory before and after a long sequence.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <memory>
#include <vector>

#include "bench/turns.h"

namespace {

using namespace aclgrad;

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

// A graph and its session, forward alone or with the gradients of all three.
std::shared_ptr<Session> session(const Shape& shape, DType dtype, bool in_tiles, bool causal,
                                 bool with_gradients) {
  Graph graph;
  std::vector<Value> x;
  for (const char* name : {"q", "k", "v"}) {
    x.push_back(graph.parameter(name, init::normal(shape, x.size() + 1).to(dtype)));
  }
  const Value y = in_tiles
                      ? scaled_dot_product_attention(x[0], x[1], x[2], {}, {.is_causal = causal})
                      : composed(x[0], x[1], x[2], causal);
  std::vector<Fetch> fetches = {y};
  if (with_gradients) {
    const Gradients gradients = backward(reduce_sum(y), x);
    fetches.clear();
    for (const Value& each : x) fetches.emplace_back(gradients[each]);
  }
  return std::make_shared<Session>(graph, fetches);
}

double resident_mib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return double(used.ru_maxrss) / 1024;
}

// `more`: times as many turns.
void measure(const Shape& shape, bool causal, int more, bench::Turns& turns) {
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    for (const bool gradients : {false, true}) {
      const std::string size = fmt::format("{}", fmt::join(shape.dims(), "x"));
      const char* operation = causal
                                  ? gradients ? "Causal attention and backward" : "Causal attention"
                              : gradients ? "Attention and backward"
                                          : "Attention";
      turns.measure({operation, size, shape.numel(), dtype}, more, [&] {
        const auto tiles = session(shape, dtype, true, causal, gradients);
        const auto composition = session(shape, dtype, false, causal, gradients);
        std::vector<bench::Turn> all = {{"aclgrad", [=] { tiles->run(); }},
                                        {"aclgrad, composed", [=] { composition->run(); }}};
#ifdef ACLGRAD_HAS_TORCH
        const auto dims = shape.dims();
        all.push_back(
            {"libtorch", bench::torch_attention({dims.begin(), dims.end()},
                                                dtype == DType::bfloat16, causal, gradients)});
#endif
        return all;
      });
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  bench::Turns turns(count, arguments, "Attention beside its composition and libtorch's.");
  for (const bool causal : {false, true}) {
    measure({8, 4, 16, 32}, causal, 20, turns);
    measure({8, 4, 32, 32}, causal, 20, turns);
    measure({12, 4, 64, 32}, causal, 10, turns);
    measure({1, 8, 1024, 64}, causal, 1, turns);
  }
  turns.finish();
  const double before = resident_mib();
  session(Shape{1, 1, 16384, 64}, DType::float32, true, false, true)->run();
  fmt::print("[1, 1, 16384, 64]: {:.0f} MiB more; scores would take 1024\n",
             resident_mib() - before);
}
