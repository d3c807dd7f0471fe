// SPDX-License-Identifier: Apache-2.0
// A transformer of one block that guesses the next letter of what one types.
#include <aclgrad/aclgrad.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "examples/live/networks.h"

using namespace aclgrad;

namespace networks {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz \n";
constexpr std::int64_t kContext = 16, kWindows = 8, kWidth = 16, kHeads = 2, kHidden = 24;
constexpr std::uint64_t kSecondSeed =
    3 ^ 0x9E3779B97F4A7C15;  // as a TransformerBlock of seed 3 has

std::vector<std::int64_t> encode(const std::string& text) {
  std::vector<std::int64_t> places;
  for (const char sign : text) {
    const auto small = static_cast<char>(std::tolower(static_cast<unsigned char>(sign)));
    const std::size_t place = kLetters.find(small == '-' ? ' ' : small);
    if (place != std::string_view::npos) places.push_back(static_cast<std::int64_t>(place));
  }
  return places;
}

std::string shown(std::int64_t letter) {
  const char sign = kLetters.at(static_cast<std::size_t>(letter));
  return sign == ' ' ? "␣" : sign == '\n' ? "⏎" : std::string(1, sign);
}

// SelfAttention that is causal, in its parts: on a page one looks at the scores, their mask and
// their softmax, which that layer has in one operator.
struct Attention : Module {
  explicit Attention(const Name& name) : Module(name) {}
  Value operator()(const Value& x) const {
    const std::int64_t batch = x.shape()[0], length = x.shape()[1], size = kWidth / kHeads;
    const Value parts = reshape(qkv(x), {batch, length, 3, kHeads, size});
    const auto part = [&](std::int64_t i) {  // [batch, heads, length, size]
      const Value rows = reshape(slice(parts, 2, i, i + 1), {batch, length, kHeads, size});
      return permute(rows, {0, 2, 1, 3});
    };
    const Value query = part(0), key = part(1), value = part(2);
    const Value scores = matmul(query, transpose(key, -1, -2)) * (1 / std::sqrt(double(size)));
    Tensor later = Tensor::zeros({length, length}, DType::boolean);
    for (std::int64_t i = 0; i < length; ++i) {
      for (std::int64_t j = i + 1; j < length; ++j) later.set({i, j}, 1);
    }
    const Value mask = x.graph().constant(later);
    const Value weights = softmax(masked_fill(scores, mask, -INFINITY), -1);
    const Value mixed = matmul(weights.named(path() + ".attention"), value);
    return projection(reshape(permute(mixed, {0, 2, 1, 3}), {batch, length, kWidth}));
  }

  Linear qkv{child("qkv"), kWidth, 3 * kWidth, {.seed = 3}};
  Linear projection{child("projection"), kWidth, kWidth, {.seed = kSecondSeed}};
};

struct Block : Module {
  explicit Block(const Name& name) : Module(name) {}
  Value operator()(const Value& x) const {
    const Value attended = x + attention(norm1(x));
    return attended + feed_forward(norm2(attended));
  }

  LayerNorm norm1{child("norm1"), kWidth};
  Attention attention{child("attention")};
  LayerNorm norm2{child("norm2"), kWidth};
  GegluFeedForward feed_forward{child("feed_forward"), kWidth, kHidden, kWidth, kSecondSeed};
};

struct Model : Module {
  Model() = default;
  Value operator()(const Value& text) const {
    Graph graph = text.graph();
    const Tensor numbers = Tensor::arange(text.shape()[1], 0, 1, DType::int64);
    // Within one sum compilers differ in which comes first.
    const Value place = places(graph.constant(numbers));
    return output(norm(block(letters(text) + place)));
  }

  Embedding letters{child("letters"), std::ssize(kLetters), kWidth, 1};
  Embedding places{child("places"), kContext, kWidth, 2};
  Block block{child("block")};
  LayerNorm norm{child("norm"), kWidth};
  Linear output{child("output"), kWidth, std::ssize(kLetters), {.seed = 4}};
};

class Transformer : public live::Network {
 public:
  explicit Transformer(const live::Chosen& chosen)
      : text_(encode(read_file(ACLGRAD_EXAMPLE_DATA "/walrus.txt"))),
        optimizer_(optimizer(chosen.at("optimizer"), 0.003)),
        trainer_(
            model_, [this](const Value& x, const Value& t) { return cross_entropy(model_(x), t); },
            *optimizer_),
        batches_(std::ssize(text_) - kContext,
                 [this](std::span<const std::int64_t> rows) { return windows(rows); },
                 {.batch_size = kWindows, .drop_last = true, .seed = 1}) {}

  std::vector<Trainer*> trainers() override { return {&trainer_}; }

  data::Dataset batch(std::int64_t step) override {
    const std::int64_t epoch = batches_.batches_per_epoch();
    return batches_.batch({static_cast<std::uint64_t>(step / epoch), step % epoch});
  }

  // What may follow the text typed, and what its letters look at.
  std::vector<live::Picture> pictures() override {
    std::vector<std::int64_t> letters = encode(typed_);
    if (letters.empty()) letters = encode(" ");
    if (std::ssize(letters) > kContext) letters.erase(letters.begin(), letters.end() - kContext);
    const std::int64_t length = std::ssize(letters);
    const Results results = reader_.run({{"text", Tensor::from({1, length}, letters)}});
    const Tensor next = results[0].reshape({length, std::ssize(kLetters)}).slice(0, length - 1);
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < std::ssize(kLetters); ++i) order.push_back(i);
    std::ranges::sort(order, std::greater<>(), [&](std::int64_t i) { return next.get(i); });
    constexpr std::size_t kBest = 8;
    live::Picture bars{.kind = live::Picture::Kind::bars, .title = "The next letter"};
    bars.values = Tensor::zeros({kBest});
    for (std::size_t i = 0; i < kBest; ++i) {
      bars.labels.push_back(shown(order[i]));
      bars.values.set(static_cast<std::int64_t>(i), next.get(order[i]));
    }
    std::vector<live::Picture> all = {bars};
    const Tensor weights = results[1].reshape({kHeads, length, length});
    for (std::int64_t head = 0; head < kHeads; ++head) {
      live::Picture attention{
          .kind = live::Picture::Kind::grid,
          .title = "Head " + std::to_string(head + 1) + ": what each letter looks at",
          .values = weights.slice(0, head, head + 1).reshape({length, length})};
      for (const std::int64_t letter : letters) attention.labels.push_back(shown(letter));
      attention.columns = attention.labels;
      all.push_back(std::move(attention));
    }
    return all;
  }

  std::vector<live::Text> texts() override { return {{"text", typed_}}; }
  void typed(const std::string&, const std::string& text) override { typed_ = text; }

 private:
  data::Dataset windows(std::span<const std::int64_t> rows) const {
    std::vector<std::int64_t> from, next;
    for (const std::int64_t row : rows) {
      from.insert(from.end(), text_.begin() + row, text_.begin() + row + kContext);
      next.insert(next.end(), text_.begin() + row + 1, text_.begin() + row + 1 + kContext);
    }
    const auto n = std::ssize(rows);
    return {Tensor::from({n, kContext}, from), Tensor::from({n, kContext}, next)};
  }

  // The letter's probabilities, and the attention's weights, which the layer keeps to itself.
  SessionCache::BuiltGraph read(const SessionCache::Inputs& inputs) const {
    Graph graph(Mode::evaluation);
    const Value text = graph.input("text", inputs.at("text").shape, DType::int64);
    const Value scores = model_(text);
    Value weights;
    for (std::size_t id = 0; id < graph.size(); ++id) {
      const Node& node = graph.node(static_cast<NodeId>(id));
      if (std::string_view(node.op->name()).find("softmax") != std::string_view::npos) {
        weights = graph.value(node.outputs[0]);
      }
    }
    const Value probabilities = softmax(scores);
    return {std::move(graph), {probabilities, weights}};
  }

  Model model_;
  std::vector<std::int64_t> text_;
  std::unique_ptr<Optimizer> optimizer_;
  Trainer trainer_;
  data::Batches batches_;
  SessionCache reader_{[this](const SessionCache::Inputs& inputs) { return read(inputs); }};
  std::string typed_ = "the walrus and t";
};

}  // namespace

Entry transformer() {
  return {"transformer",
          "A transformer of one block: the next letter",
          {optimizer_choice("adamw")},
          [](const live::Chosen& chosen) { return std::make_unique<Transformer>(chosen); }};
}

}  // namespace networks
