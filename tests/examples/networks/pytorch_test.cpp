// SPDX-License-Identifier: Apache-2.0
// The networks of the examples beside PyTorch: what its state_dict computes here, and how it is
// trained here, against the numbers that pytorch_numbers.py wrote (data/README.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "aclgrad/aclgrad.h"
#include "examples/convolution/model.h"
#include "examples/mobilenet/model.h"
#include "examples/recurrent/model.h"
#include "examples/self_normalizing/model.h"
#include "examples/spoken/model.h"
#include "examples/transformer/model.h"
#include "tests/examples/networks/one_input.h"

namespace aclgrad {
namespace {

// Errors that are allowed, relative to the largest magnitude of a tensor. PyTorch's numbers were
// computed in double; its own float32 is off by up to 2.2e-7, 3.1e-6 and 3.0e-7, this library by
// 2.3e-7, 1.6e-6 and 2.9e-7.
constexpr double kOutputBound = 1e-6, kGradientBound = 1e-5, kStepBound = 1e-6;

// A gradient of less is 0 but for PyTorch's rounding errors in double: that of a constant which a
// normalization or softmax removes.
constexpr double kZero = 1e-12;

double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    largest = std::max(largest, std::abs(tensor.get(i)));
  }
  return largest;
}

// The largest of several errors, in parts of what is allowed.
class WorstError {
 public:
  void add(const std::string& name, double error, double bound) {
    if (std::isnan(share_) || error / bound <= share_) return;
    share_ = error / bound;
    text_ = fmt::format("{}: off by {:.1e}, allowed {:.1e}", name, error, bound);
  }
  void add(const std::string& name, const Tensor& tensor, const Tensor& expected, double bound) {
    ASSERT_EQ(tensor.shape(), expected.shape()) << name;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      add(name, std::abs(tensor.get(i) - expected.get(i)), bound);
    }
  }
  void expect_within_bound() const {
    EXPECT_TRUE(share_ >= 0 && share_ <= 1) << text_;
    fmt::print("{}\n", text_);
  }

 private:
  double share_ = -1;
  std::string text_;
};

// A model, and the file with PyTorch's numbers of its network.
template <class Model>
struct Network {
  std::string file;
  std::function<Model()> make;
  Value (*loss)(const Value& scores, const Value& labels) =
      [](const Value& scores, const Value& labels) { return cross_entropy(scores, labels); };
  std::function<std::unique_ptr<Optimizer>(const Model&)> optimizer;
  std::function<std::string(const std::string&)> rename = [](const std::string& name) {
    return name;
  };

  std::string path() const { return ACLGRAD_PYTORCH_NUMBERS "/" + file + ".safetensors"; }

  // Assigns the numbers PART.* of the file to the model's variables.
  Model loaded(const std::string& part, const Model& model) const {
    model.load(path(), {.from_pytorch = true, .rename = [&](const std::string& name) {
                          return name.starts_with(part + ".") ? rename(name.substr(part.size() + 1))
                                                              : std::string();
                        }});
    return model;
  }

  void expect_output(const Model& model) const {
    const SafetensorsFile numbers = load_safetensors(path());
    WorstError worst;
    worst.add("output", predict(loaded("model", model), numbers["input"]), numbers["output"],
              kOutputBound * largest_of(numbers["output"]));
    worst.expect_within_bound();
  }

  // Those of the parameters, and the running statistics that the pass leaves.
  void expect_gradients() const {
    const SafetensorsFile numbers = load_safetensors(path());
    const Model model = loaded("model", make()), expected = loaded("gradient", make());
    Graph graph;
    const Value x = graph.input("x", numbers["input"].shape(), numbers["input"].dtype());
    const Value t = graph.input("t", numbers["labels"].shape(), numbers["labels"].dtype());
    const Gradients gradients = backward(loss(model(x), t), model.parameters(graph));
    std::vector<Fetch> fetches;
    for (const auto& [value, gradient] : gradients) fetches.emplace_back(gradient);
    Session session(graph, fetches);
    const Results results = session.run({{x, numbers["input"]}, {t, numbers["labels"]}});

    double largest = 0;
    for (const Variable& variable : expected.parameters()) {
      largest = std::max(largest, largest_of(variable.value()));
    }
    WorstError worst;
    for (const Variable& variable : expected.parameters()) {
      const double own = largest_of(variable.value());
      const Value value = graph.parameter(same_name(model.parameters(), variable));
      worst.add(variable.name() + "'s gradient", results[gradients[value]], variable.value(),
                kGradientBound * (own > kZero ? own : largest));
    }
    worst.expect_within_bound();
    WorstError statistics;
    for (const Variable& variable : expected.buffers()) {
      statistics.add(variable.name(), same_name(model.buffers(), variable).value(),
                     variable.value(), kOutputBound * largest_of(variable.value()));
    }
    if (!expected.buffers().empty()) statistics.expect_within_bound();
  }

  // Of three steps on the batch. Not the running statistics: they follow what steps by chance.
  void expect_steps() const {
    const SafetensorsFile numbers = load_safetensors(path());
    const Model model = loaded("model", make());
    const Model gradients = loaded("gradient", make()), expected = loaded("stepped", make());
    const std::unique_ptr<Optimizer> stepper = optimizer(model);
    Trainer trainer(
        model, [&](const Value& x, const Value& t) { return loss(model(x), t); }, *stepper);
    WorstError losses, worst;
    double rates = 0;
    for (std::int64_t step = 0; step < 3; ++step) {
      rates += stepper->learning_rate(step);
      const double before = numbers["losses"].get(step);
      losses.add(fmt::format("loss {}", step),
                 std::abs(trainer.step({numbers["input"], numbers["labels"]}) - before),
                 kOutputBound * before);
    }
    losses.expect_within_bound();
    for (const Variable& variable : model.parameters()) {
      const Tensor gradient = same_name(gradients.parameters(), variable).value();
      const Tensor stepped = same_name(expected.parameters(), variable).value();
      const double bound = kStepBound * largest_of(stepped);
      for (std::int64_t i = 0; i < gradient.numel(); ++i) {
        const double error = std::abs(variable.value().get(i) - stepped.get(i));
        if (std::abs(gradient.get(i)) > kZero) {
          worst.add(variable.name() + " after 3 steps", error, bound);
        } else {
          // Adam divides a gradient by its magnitude, even if it is only rounding errors.
          EXPECT_LE(error, 1.1 * rates) << variable.name();
        }
      }
    }
    worst.expect_within_bound();
  }

  void expect_all() const {
    expect_output(make());
    expect_gradients();
    expect_steps();
  }

 private:
  static Variable same_name(const std::vector<Variable>& all, const Variable& wanted) {
    return *std::ranges::find(all, wanted.name(), &Variable::name);
  }
};

template <class Made>
std::unique_ptr<Optimizer> on_heap(Made optimizer) {
  return std::make_unique<Made>(std::move(optimizer));
}

TEST(PyTorch, ComputesTheSelfNormalizingNetwork) {
  const std::vector<std::int64_t> widths = {6, 8, 7, 4};
  const Network<Sequential> network{
      .file = "self_normalizing",
      .make = [&] { return self_normalizing::network("selu", widths, 0, 1); },
      .optimizer = [](const auto&) { return on_heap(Sgd({.learning_rate = 1e-2})); },
      .rename =
          [](const std::string& name) {
            const std::map<char, std::string> layers = {
                {'0', "hidden1"}, {'3', "hidden2"}, {'6', "output"}};
            return layers.at(name[0]) + name.substr(1);
          }};
  network.expect_all();
  network.expect_output(self_normalizing::network("selu", widths, 0.05, 1));
}

TEST(PyTorch, ComputesTheConvolutionalNetwork) {
  Network<convolution::Network>{
      .file = "convolution",
      .make =
          [] {
            return convolution::Network({.side = 20, .first = 3, .second = 4, .classes = 5},
                                        Activation::elu, 1);
          },
      .optimizer =
          [](const auto&) {
            return on_heap(
                Adam({.learning_rate = schedule::cosine(2e-3, 1, 4), .weight_decay = 0}));
          }}
      .expect_all();
}

TEST(PyTorch, ComputesTheMobileNet) {
  Network<mobilenet::MobileNet>{
      .file = "mobilenet",
      .make =
          [] {
            return mobilenet::MobileNet({.stem = 4,
                                         .head = 8,
                                         .classes = 3,
                                         .bottlenecks = {{4, 8, 4, 3, 1}, {4, 8, 6, 5, 2}}},
                                        Activation::hardswish, 1);
          },
      .optimizer =
          [](const auto& model) {
            return on_heap(AdamW({.learning_rate = schedule::cosine(4e-3, 1, 4)},
                                 decay_matrices(model.parameters(), 0.05)));
          }}
      .expect_all();
}

// The optimizer of models of characters.
std::unique_ptr<Optimizer> for_characters(const Module& model) {
  return on_heap(
      AdamW({.learning_rate = schedule::cosine(1e-3, 1, 4, 1e-4), .beta2 = 0.99, .clip_norm = 1},
            decay_matrices(model.parameters(), 0.1)));
}

// Of nn.MultiheadAttention, where a module attends to itself.
std::string self_attention_renamed(std::string name) {
  for (const auto& [theirs, ours] :
       {std::pair("in_proj_", "qkv."), std::pair("out_proj.", "projection.")}) {
    const std::size_t at = name.find(theirs);
    if (at != std::string::npos) name.replace(at, std::strlen(theirs), ours);
  }
  return name;
}

TEST(PyTorch, ComputesTheTransformer) {
  Network<transformer::Transformer>{
      .file = "transformer",
      .make =
          [] {
            return transformer::Transformer(
                7, {.context = 4, .width = 6, .heads = 2, .blocks = 2, .geglu_hidden = 4},
                Activation::geglu, DType::float32, 1);
          },
      .optimizer = [](const auto& model) { return for_characters(model); },
      .rename = self_attention_renamed}
      .expect_all();
}

TEST(PyTorch, ComputesTheRecurrentNetwork) {
  Network<recurrent::Adder>{
      .file = "recurrent",
      .make = [] { return recurrent::Adder(5); },
      .loss = [](const Value& answers, const Value& sums) { return mse_loss(answers, sums); },
      .optimizer =
          [](const auto&) {
            return on_heap(AdamW({.learning_rate = 3e-3, .weight_decay = 0, .clip_norm = 1}));
          }}
      .expect_all();
}

TEST(PyTorch, ComputesTheRecurrentModelOfCharacters) {
  Network<recurrent::CharacterModel>{
      .file = "characters",
      .make =
          [] { return recurrent::CharacterModel(7, {.width = 4, .hidden = 5}, DType::float32, 1); },
      .optimizer = [](const auto& model) { return for_characters(model); }}
      .expect_all();
}

TEST(PyTorch, ComputesTheTranslator) {
  Network<TranslatorOfOneInput>{
      .file = "translate",
      .make = [] { return TranslatorOfOneInput(); },
      .optimizer =
          [](const auto& model) {
            return on_heap(AdamW(
                {.learning_rate = schedule::cosine(2e-3, 1, 4), .beta2 = 0.99, .clip_norm = 1},
                decay_matrices(model.parameters(), 0.01)));
          },
      .rename = self_attention_renamed}
      .expect_all();
}

TEST(PyTorch, ComputesTheListener) {
  Network<spoken::Listener>{
      .file = "spoken",
      .make =
          [] {
            return spoken::Listener(
                {.bands = 8, .first = 2, .second = 3, .hidden = 3, .classes = 4}, 1);
          },
      .optimizer =
          [](const auto& model) {
            return on_heap(AdamW({.learning_rate = schedule::cosine(2e-3, 1, 4), .clip_norm = 1},
                                 decay_matrices(model.parameters(), 0.05)));
          }}
      .expect_all();
}

}  // namespace
}  // namespace aclgrad
