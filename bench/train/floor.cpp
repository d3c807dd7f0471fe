// SPDX-License-Identifier: Apache-2.0
// The floor: the matrix products of a step and nothing else, by oneDNN's primitives, made once and
// executed bare, with the shapes and transposes of the step.
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "bench/peers/onednn_primitives.h"
#include "bench/peers/openmp.h"
#include "bench/train/trainer.h"

namespace aclgrad::bench {
namespace {

using dnnl::memory;

// A matrix [rows, columns], or the transpose of one.
struct Matrix {
  memory::dims shape;
  memory::dims strides;
  float* data;

  Matrix transposed() const { return {{shape[1], shape[0]}, {strides[1], strides[0]}, data}; }
  memory::desc desc() const { return {shape, memory::data_type::f32, strides}; }
};

class Floor : public Trainer {
 public:
  explicit Floor(const Workload& workload) {
    const size_t layers = workload.layers.size();
    std::vector<Matrix> inputs;
    std::vector<Matrix> weights;
    std::vector<Matrix> outputs;
    for (size_t layer = 0; layer < layers; ++layer) {
      const auto& [in, out] = workload.layers[layer];
      inputs.push_back(random(workload.batch, in));
      weights.push_back(random(in, out));
      outputs.push_back(matrix(workload.batch, out));
      product(inputs[layer], weights[layer], outputs[layer]);
    }
    for (size_t layer = layers; layer-- > 0;) {
      const auto& [in, out] = workload.layers[layer];
      const Matrix gradient = random(workload.batch, out);
      // Nobody asks for the gradient of the batch.
      if (layer > 0) {
        product(gradient, weights[layer].transposed(), matrix(workload.batch, in));
      }
      product(inputs[layer].transposed(), gradient, matrix(in, out));
    }
    // Primitives make what they need at their first execution.
    step();
  }

  void step() override {
    for (const Product& product : products_) product.primitive.execute(stream_, product.arguments);
    stream_.wait();
  }

  std::optional<double> loss() override { return std::nullopt; }

 private:
  struct Product {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  Matrix matrix(int64_t rows, int64_t columns) {
    auto& data = memories_.emplace_back(static_cast<size_t>(rows * columns));
    return {{rows, columns}, {columns, 1}, data.data()};
  }

  Matrix random(int64_t rows, int64_t columns) {
    const Matrix made = matrix(rows, columns);
    fill_features(memories_.back());
    return made;
  }

  void product(const Matrix& a, const Matrix& b, const Matrix& c) {
    const auto made = describe<dnnl::matmul>(engine_, a.desc(), b.desc(), c.desc());
    products_.push_back({dnnl::matmul(made),
                         {{DNNL_ARG_SRC, {a.desc(), engine_, a.data}},
                          {DNNL_ARG_WEIGHTS, {b.desc(), engine_, b.data}},
                          {DNNL_ARG_DST, {c.desc(), engine_, c.data}}}});
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::vector<std::vector<float>> memories_;
  std::vector<Product> products_;
};

}  // namespace

std::unique_ptr<Trainer> make_trainer(const Workload& workload, int threads) {
  set_openmp_threads(threads);
  return std::make_unique<Floor>(workload);
}

std::string trainer_version() {
  const dnnl_version_t* version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace aclgrad::bench
