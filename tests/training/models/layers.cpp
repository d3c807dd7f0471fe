// SPDX-License-Identifier: Apache-2.0
#include "tests/training/models/layers.h"

#include <fmt/format.h>

#include <functional>

namespace aclgrad::training {
namespace {

using Places = std::vector<std::int64_t>;

std::string name_of(const Json& layer) { return layer.at("name").get<std::string>(); }

PerAxis axes(const Json& layer, const char* name, std::int64_t otherwise) {
  return {option<Places>(layer, name, {otherwise})};
}

// Attention with a mask of its own.
struct MaskedAttention : Module {
  MaskedAttention(const Name& name, std::int64_t width, std::int64_t heads, bool causal,
                  Tensor unseen)
      : Module(name),
        attention(child("attention"), width, heads, {.causal = causal}),
        mask(std::move(unseen)) {}
  Value operator()(const Value& x) const { return attention(x, x.graph().constant(mask)); }

  SelfAttention attention;
  Tensor mask;
};

// A convolution of sequences [N, T, width], over T.
struct ConvolutionOverTime : Module {
  ConvolutionOverTime(const Name& name, std::int64_t in, std::int64_t out, std::int64_t kernel,
                      const ConvLayerOptions& options)
      : convolution(name, in, out, kernel, options) {
    adopt(convolution);
  }
  Value operator()(const Value& x) const {
    return permute(convolution(permute(x, {0, 2, 1})), {0, 2, 1});
  }

  Conv1d convolution;
};

// A decoder whose memory is what it decodes.
struct Decoder : Module {
  Decoder(const Name& name, std::int64_t width, std::int64_t heads, std::int64_t hidden,
          bool causal)
      : block(name, width, heads, hidden, {.causal = causal}) {
    adopt(block);
  }
  Value operator()(const Value& x) const { return block(x, x); }

  TransformerDecoderBlock block;
};

// A module and what becomes of it in the table of parts.
class Adder {
 public:
  Adder(Sequential& to, const Json& layer, Shape in, bool tokens, Parts& parts)
      : to_(to), layer_(layer), in_(std::move(in)), tokens_(tokens), parts_(parts) {}

  void operator()() {
    static const std::map<std::string, std::function<void(Adder&)>> kinds = {
        {"linear", [](Adder& a) { a.linear(); }},
        {"conv2d", [](Adder& a) { a.conv2d(); }},
        {"conv1d", [](Adder& a) { a.conv1d(); }},
        {"transposed2d", [](Adder& a) { a.transposed2d(); }},
        {"max_pool2d", [](Adder& a) { a.max_pool2d(); }},
        {"avg_pool2d", [](Adder& a) { a.avg_pool2d(); }},
        {"batch_norm", [](Adder& a) { a.batch_norm(); }},
        {"group_norm",
         [](Adder& a) {
           a.put(GroupNorm(a.name(), a.at("groups"), a.in_[1], a.get("eps", 1e-5)));
         }},
        {"layer_norm", [](Adder& a) { a.put(LayerNorm(a.name(), a.width(), a.get("eps", 1e-5))); }},
        {"rms_norm", [](Adder& a) { a.put(RmsNorm(a.name(), a.width(), a.get("eps", 1e-6))); }},
        {"embedding", [](Adder& a) { a.embedding(); }},
        {"attention", [](Adder& a) { a.attention(); }},
        {"transformer",
         [](Adder& a) {
           a.put(TransformerBlock(a.name(), a.width(), a.at("heads"), a.at("hidden"),
                                  {.causal = a.get("causal", false)}));
         }},
        {"decoder",
         [](Adder& a) {
           a.put(
               Decoder(a.name(), a.width(), a.at("heads"), a.at("hidden"), a.get("causal", true)));
         }},
        {"gru", [](Adder& a) { a.put(Gru(a.name(), a.width(), a.at("hidden"), a.recurrent())); }},
        {"lstm", [](Adder& a) { a.put(Lstm(a.name(), a.width(), a.at("hidden"), a.recurrent())); }},
        {"prelu",
         [](Adder& a) {
           a.put(Prelu(a.name(), {.channels = a.get("channels", std::int64_t{1})}));
         }},
        {"instance_norm",
         [](Adder& a) {
           a.put(InstanceNorm(a.name(), a.in_[1], {.affine = true, .eps = a.get("eps", 1e-5)}));
         }},
        {"upsample", [](Adder& a) { a.to_.add(Upsample{axes(a.layer_, "factor", 2)}); }},
        {"positions", [](Adder& a) { a.to_.add(SinusoidalPositions{}); }},
        {"feed_forward",
         [](Adder& a) {
           a.put(GegluFeedForward(a.name(), a.width(), a.at("hidden"), a.at("out"), {}, a.geglu()));
         }},
        {"dropout", [](Adder& a) { a.put(Dropout(a.name(), a.get("p", 0.0))); }},
        {"alpha_dropout", [](Adder& a) { a.put(AlphaDropout(a.name(), a.get("p", 0.0))); }},
        {"residual", [](Adder& a) { a.nested<Residual>(); }},
        {"sequential", [](Adder& a) { a.nested<Sequential>(); }},
        {"checkpointed", [](Adder& a) { a.nested<Checkpointed<Sequential>>(); }},
        {"elu", [](Adder& a) { a.elu(); }},
        {"gelu", [](Adder& a) { a.to_.add(Gelu{a.approximate()}); }},
        {"geglu", [](Adder& a) { a.to_.add(a.geglu()); }},
        {"hardswish", [](Adder& a) { a.to_.add(Hardswish{}); }},
        {"selu", [](Adder& a) { a.to_.add(Selu{}); }},
        {"relu", [](Adder& a) { a.to_.add(Relu{}); }},
        {"tanh", [](Adder& a) { a.to_.add(Tanh{}); }},
        {"sigmoid", [](Adder& a) { a.to_.add(Sigmoid{}); }},
        {"silu", [](Adder& a) { a.to_.add(Silu{}); }},
        {"leaky_relu", [](Adder& a) { a.to_.add(LeakyRelu{a.get("slope", 0.01)}); }},
        {"softplus", [](Adder& a) { a.to_.add(Softplus{a.get("beta", 1.0)}); }},
        {"mish", [](Adder& a) { a.to_.add(Mish{}); }},
        {"softmax", [](Adder& a) { a.to_.add([](const Value& x) { return softmax(x, -1); }); }},
        {"abs", [](Adder& a) { a.to_.add([](const Value& x) { return abs(x); }); }},
        {"sin", [](Adder& a) { a.to_.add([](const Value& x) { return sin(x); }); }},
        {"erf", [](Adder& a) { a.to_.add([](const Value& x) { return erf(x); }); }},
        {"adaptive_avg_pool2d",
         [](Adder& a) { a.to_.add(AdaptiveAvgPool2d{axes(a.layer_, "size", 1)}); }},
        {"global_avg_pool2d", [](Adder& a) { a.to_.add(GlobalAvgPool2d{}); }},
        {"flatten", [](Adder& a) { a.to_.add(Flatten{}); }},
        {"mean_over_time",
         [](Adder& a) { a.to_.add([](const Value& x) { return mean(x, {1}); }); }},
        {"turned",  // slices of one value, which overlap, and of a slice
         [](Adder& a) {
           a.to_.add([](const Value& x) {
             const Value rest = slice(x, -1, 1);
             return x + cat({rest, slice(x, -1, 0, 1)}, -1) * 0.5 +
                    cat({slice(rest, -1, 0, 0), slice(x, -1, 0, x.shape()[-1] - 1),
                         slice(x, -1, -1)},
                        -1) *
                        0.25;
           });
         }},
        {"last_step",
         [](Adder& a) {
           a.to_.add([](const Value& x) {
             return reshape(slice(x, 1, -1), {x.shape()[0], x.shape()[2]});
           });
         }},
    };
    const auto kind = kinds.find(layer_.at("kind").get<std::string>());
    if (kind == kinds.end()) throw ValueError(fmt::format("no kind of layer: {}", layer_.dump()));
    kind->second(*this);
  }

 private:
  template <class T>
  T get(const char* name, T otherwise) const {
    return option(layer_, name, otherwise);
  }
  std::int64_t at(const char* name) const { return layer_.at(name).get<std::int64_t>(); }
  std::string name() const { return name_of(layer_); }
  std::int64_t width() const { return in_.dims().back(); }
  Approximate approximate() const {
    return get("tanh", false) ? Approximate::tanh : Approximate::none;
  }
  Geglu geglu() const { return {approximate(), get("activate_left", false)}; }

  template <class Made>
  void put(const Made& made) {
    to_.add(made);
    parts_.insert_or_assign(name(), made);
  }

  void linear() { put(Linear(name(), width(), at("out"), {.bias = get("bias", true)})); }
  ConvLayerOptions convolution() const {
    return {.stride = axes(layer_, "stride", 1),
            .padding = axes(layer_, "padding", 0),
            .dilation = axes(layer_, "dilation", 1),
            .groups = get("groups", std::int64_t{1}),
            .bias = get("bias", true),
            .output_padding = axes(layer_, "output_padding", 0)};
  }
  void conv2d() {
    put(Conv2d(name(), in_[1], at("out"), axes(layer_, "kernel", 1), convolution()));
  }
  void conv1d() {
    put(ConvolutionOverTime(name(), width(), at("out"), layer_.at("kernel").at(0), convolution()));
  }
  void transposed2d() {
    put(ConvTranspose2d(name(), in_[1], at("out"), axes(layer_, "kernel", 1), convolution()));
  }
  RecurrentOptions recurrent() const {
    return {.num_layers = get("levels", std::int64_t{1}),
            .bidirectional = get("bidirectional", false)};
  }
  void max_pool2d() {
    to_.add(MaxPool2d{axes(layer_, "kernel", 1),
                      {.stride = {get<Places>("stride", {})},
                       .padding = axes(layer_, "padding", 0),
                       .ceil_mode = get("ceil_mode", false)}});
  }
  void avg_pool2d() {
    to_.add(AvgPool2d{axes(layer_, "kernel", 1),
                      {.stride = {get<Places>("stride", {})},
                       .padding = axes(layer_, "padding", 0),
                       .ceil_mode = get("ceil_mode", false),
                       .count_include_pad = get("count_include_pad", true),
                       .divisor_override = get("divisor_override", std::int64_t{0})}});
  }
  void batch_norm() {
    put(BatchNorm2d(name(), in_[1], {.momentum = get("momentum", 0.1), .eps = get("eps", 1e-5)}));
  }
  void embedding() {
    EmbeddingOptions options;
    if (layer_.contains("padding_idx")) options.padding_idx = at("padding_idx");
    put(Embedding(name(), at("count"), at("width"), options));
  }
  void elu() {
    to_.add(Elu{get("alpha", 1.0), get("scale", 1.0), get("input_scale", 1.0),
                get("from_result", false) ? BackwardFrom::result : BackwardFrom::input});
  }
  void attention() {
    const auto mask = layer_.find("mask");
    if (mask == layer_.end()) {
      put(SelfAttention(name(), width(), at("heads"), {.causal = get("causal", false)}));
      return;
    }
    const auto unseen = mask->get<std::vector<std::vector<double>>>();
    const bool adds = get("adds", false);  // a number to the scores, in the place of hiding
    Tensor table = Tensor::zeros({in_[1], in_[1]}, adds ? DType::float32 : DType::boolean);
    for (std::int64_t i = 0; i < table.numel(); ++i) {
      const auto row = static_cast<std::size_t>(i / in_[1]);
      const double one = unseen.at(row).at(static_cast<std::size_t>(i % in_[1]));
      table.set(i, adds ? -0.75 * one : one);
    }
    put(MaskedAttention(name(), width(), at("heads"), get("causal", false), std::move(table)));
  }
  template <class Outer>
  void nested() {
    constexpr bool kHasName = !std::same_as<Outer, Residual>;
    Sequential inner{Module::Name(kHasName ? name() : "")};
    add_layers(inner, layer_.at("layers"), in_, tokens_, parts_);
    put(Outer(inner));
  }

  Sequential& to_;
  const Json& layer_;
  Shape in_;
  bool tokens_;
  Parts& parts_;
};

}  // namespace

Shape add_layers(Sequential& to, const Json& layers, const Shape& in, bool tokens, Parts& parts) {
  Shape shape = in;
  for (const Json& layer : layers) {
    Sequential alone;  // for its result's shape: the layers before need not be recorded again
    Adder(alone, layer, shape, tokens, parts)();
    Graph graph(Mode::evaluation);
    shape = alone(graph.input("x", shape, tokens ? DType::int64 : DType::float32)).shape();
    tokens = false;
    to.add(alone);
  }
  return shape;
}

}  // namespace aclgrad::training
