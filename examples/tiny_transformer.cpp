// SPDX-License-Identifier: Apache-2.0
// A causal transformer with GEGLU feed-forward blocks learns a poem letter by letter
// (out/tiny_transformer/learning.svg), then writes a few lines.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <numbers>

using namespace aclgrad;

namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz \n";
constexpr std::int64_t kLetters = kAlphabet.size();
constexpr std::int64_t kContext = 24;
constexpr std::int64_t kWidth = 48;
constexpr std::int64_t kBatch = 32;
constexpr int kSteps = 400;

// The letters' places in the alphabet: in small letters, other signs left out.
std::vector<std::int64_t> read_poem() {
  std::vector<std::int64_t> poem;
  for (const char sign : read_file(ACLGRAD_EXAMPLE_DATA "/walrus.txt")) {
    const auto letter = static_cast<unsigned char>(sign == '-' ? ' ' : sign);
    const std::size_t place = kAlphabet.find(static_cast<char>(std::tolower(letter)));
    if (place != std::string_view::npos) poem.push_back(static_cast<std::int64_t>(place));
  }
  return poem;
}

struct Transformer : Module {
  // Logits [N, T, letters] of the letter after each place of text [N, T].
  Value operator()(const Value& text) const {
    const Tensor numbers = Tensor::arange(text.shape()[1], 0, 1, DType::int64);
    const Value x = letters(text) + places(text.graph().constant(numbers));
    return next(norm(block2(block1(x))));
  }

  Embedding letters{child("letters"), kLetters, kWidth, 1};
  Embedding places{child("places"), kContext, kWidth, 2};
  TransformerBlock block1{child("block1"), kWidth, 4, 96, {.causal = true, .seed = 3}};
  TransformerBlock block2{child("block2"), kWidth, 4, 96, {.causal = true, .seed = 4}};
  LayerNorm norm{child("norm"), kWidth};
  Linear next{child("next"), kWidth, kLetters, {.seed = 5}};
};

}  // namespace

int main() {
  const std::vector<std::int64_t> poem = read_poem();
  const Transformer transformer;
  Graph graph;
  const Value text = graph.input("text", {kBatch, kContext}, DType::int64);
  const Value next = graph.input("next", {kBatch, kContext}, DType::int64);
  const Value loss = cross_entropy(transformer(text), next);
  AdamW optimizer({.learning_rate = 3e-3});
  const std::vector<Value> weights = transformer.parameters(graph);
  Session training(graph, {loss, optimizer.step(graph, backward(loss, weights))});

  const Random random(9);
  report::Series learning{.name = "the transformer"};
  double nats = 0;
  for (int step = 1; step <= kSteps; ++step) {
    Tensor here = Tensor::zeros({kBatch, kContext}, DType::int64), after = here;
    for (std::int64_t row = 0; row < kBatch; ++row) {
      const auto draw = static_cast<std::uint64_t>(step * kBatch + row);
      const auto last = static_cast<double>(std::ssize(poem) - kContext - 1);
      const auto start = static_cast<std::size_t>(random.uniform(draw) * last);
      for (std::int64_t i = 0; i < kContext; ++i) {
        const std::size_t place = start + static_cast<std::size_t>(i);
        here.set(row * kContext + i, static_cast<double>(poem[place]));
        after.set(row * kContext + i, static_cast<double>(poem[place + 1]));
      }
    }
    nats += training.run({{text, here}, {next, after}})[loss].item();
    if (step % 40 != 0) continue;
    learning.x.push_back(step);
    learning.y.push_back(nats / 40 / std::numbers::ln2);
    nats = 0;
    fmt::print("step {:>3}  {:.3f} bits a letter\n", step, learning.y.back());
  }
  report::LineChart chart{
      .title = "A small transformer learns a poem", .x_label = "step", .y_label = "bits a letter"};
  const double blind = std::log2(kLetters);
  chart.series = {learning, {.name = "any of 28 letters", .x = {1, kSteps}, .y = {blind, blind}}};
  std::filesystem::create_directories("out/tiny_transformer");
  write_file_atomically("out/tiny_transformer/learning.svg", chart.svg());

  // The likeliest letter, again and again.
  Predictor writer(transformer);
  std::vector<std::int64_t> written(poem.begin(), poem.begin() + kContext);
  while (written.size() < 200) {
    const Tensor tail = Tensor::from({1, kContext}, std::span(written).last(kContext));
    const Tensor last = writer(tail).slice(1, kContext - 1, kContext).reshape({1, kLetters});
    written.push_back(static_cast<std::int64_t>(data::argmax(last).get(0)));
  }
  for (const std::int64_t letter : written) {
    fmt::print("{}", kAlphabet[static_cast<std::size_t>(letter)]);
  }
  fmt::print("\n");
}
