// SPDX-License-Identifier: Apache-2.0
// The floor: the matrix products and convolutions of a step and nothing else, by oneDNN's
// primitives, made once and executed bare. Products have the shapes and transposes of the step;
// images and weights of convolutions lie as each primitive likes them best.
#include <bit>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <ranges>
#include <unordered_map>

#include "bench/peers/onednn_primitives.h"
#include "bench/peers/openmp.h"
#include "bench/train/products.h"
#include "bench/train/trainer.h"

namespace aclgrad::bench {
namespace {

using dnnl::memory;
using dnnl::prop_kind;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// Matrices [count, rows, columns], or the transposes of some.
struct Matrices {
  memory::dims shape;
  memory::dims strides;
  memory::data_type type;
  void* data;

  Matrices transposed() const {
    return {{shape[0], shape[2], shape[1]}, {strides[0], strides[2], strides[1]}, type, data};
  }
  memory::desc desc() const { return {shape, type, strides}; }
};

class Floor : public Trainer {
 public:
  explicit Floor(const Workload& workload)
      : type_(workload.bfloat16 ? memory::data_type::bf16 : memory::data_type::f32) {
    const Products all = products_of(workload);
    for (const Convolution& each : all.convolutions) add(each);
    for (const Product& each : all.matrices) add(each);
    // Primitives make what they need at their first execution.
    step();
  }

  void step() override {
    for (const Call& call : forward_) call.primitive.execute(stream_, call.arguments);
    for (const Call& call : std::views::reverse(backward_)) {
      call.primitive.execute(stream_, call.arguments);
    }
    stream_.wait();
  }

  std::optional<double> loss() override { return std::nullopt; }

 private:
  using Arguments = std::unordered_map<int, memory>;
  struct Call {
    dnnl::primitive primitive;
    Arguments arguments;
  };

  // So many numbers; bfloat16 has the first half of a float's bits.
  void* random(size_t size) {
    auto& data = memories_.emplace_back(size);
    fill_features(data);
    if (type_ == memory::data_type::bf16) {
      for (size_t i = 0; i < size; ++i) {
        const uint32_t bits = std::bit_cast<uint32_t>(data[i]);
        std::memcpy(reinterpret_cast<uint16_t*>(data.data()) + i,
                    reinterpret_cast<const uint16_t*>(&bits) + 1, sizeof(uint16_t));
      }
    }
    return data.data();
  }

  void add(const Product& each) {
    const Matrices a = matrices(each.count, each.m, each.k);
    const Matrices b = matrices(each.count, each.k, each.n);
    const Matrices c = matrices(each.count, each.m, each.n);
    const Matrices gradient = matrices(each.count, each.m, each.n);
    forward_.push_back(product(a, b, c));
    backward_.push_back(product(a.transposed(), gradient, matrices(each.count, each.k, each.n)));
    if (each.left_gradient) {
      backward_.push_back(product(gradient, b.transposed(), matrices(each.count, each.m, each.k)));
    }
  }

  Matrices matrices(int64_t count, int64_t rows, int64_t columns) {
    return {{count, rows, columns},
            {rows * columns, columns, 1},
            type_,
            random(static_cast<size_t>(count * rows * columns))};
  }

  Call product(const Matrices& a, const Matrices& b, const Matrices& c) {
    const auto made = describe<dnnl::matmul>(engine_, a.desc(), b.desc(), c.desc());
    return {dnnl::matmul(made),
            {{DNNL_ARG_SRC, {a.desc(), engine_, a.data}},
             {DNNL_ARG_WEIGHTS, {b.desc(), engine_, b.data}},
             {DNNL_ARG_DST, {c.desc(), engine_, c.data}}}};
  }

  memory buffer(const memory::desc& desc) {
    return {desc, engine_, random(desc.get_size() / memory::data_type_size(type_))};
  }

  void add(const Convolution& each) {
    constexpr auto kAny = memory::format_tag::any;
    const memory::desc image({each.n, each.in, each.side, each.side}, type_, kAny);
    const memory::desc result({each.n, each.out, each.out_side(), each.out_side()}, type_, kAny);
    const memory::dims grouped = {each.groups, each.out / each.groups, each.in / each.groups,
                                  each.kernel, each.kernel};
    const memory::dims plain(grouped.begin() + 1, grouped.end());
    const memory::desc weight(each.groups > 1 ? grouped : plain, type_, kAny);
    const memory::dims stride(2, each.stride), padding(2, each.padding);
    const auto forward =
        describe<dnnl::convolution_forward>(engine_, prop_kind::forward_training, kDirect, image,
                                            weight, result, stride, padding, padding);
    forward_.push_back({dnnl::convolution_forward(forward),
                        {{DNNL_ARG_SRC, buffer(forward.src_desc())},
                         {DNNL_ARG_WEIGHTS, buffer(forward.weights_desc())},
                         {DNNL_ARG_DST, buffer(forward.dst_desc())}}});
    const auto weights = describe_backward<dnnl::convolution_backward_weights>(
        engine_, forward, kDirect, image, weight, result, stride, padding, padding);
    backward_.push_back({dnnl::convolution_backward_weights(weights),
                         {{DNNL_ARG_SRC, buffer(weights.src_desc())},
                          {DNNL_ARG_DIFF_WEIGHTS, buffer(weights.diff_weights_desc())},
                          {DNNL_ARG_DIFF_DST, buffer(weights.diff_dst_desc())}}});
    if (each.image_gradient) {
      const auto images = describe_backward<dnnl::convolution_backward_data>(
          engine_, forward, kDirect, image, weight, result, stride, padding, padding);
      backward_.push_back({dnnl::convolution_backward_data(images),
                           {{DNNL_ARG_DIFF_SRC, buffer(images.diff_src_desc())},
                            {DNNL_ARG_WEIGHTS, buffer(images.weights_desc())},
                            {DNNL_ARG_DIFF_DST, buffer(images.diff_dst_desc())}}});
    }
  }

  memory::data_type type_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::vector<std::vector<float>> memories_;
  std::vector<Call> forward_;
  std::vector<Call> backward_;  // the last one first
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
