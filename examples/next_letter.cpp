// SPDX-License-Identifier: Apache-2.0
// Learns to guess the next letter of a poem from the ten before it, then writes a few lines itself.
// Products with one-hot rows pick rows of a matrix, so the first layer is an embedding.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <cctype>
#include <numbers>

using namespace aclgrad;

namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz \n";
constexpr std::size_t kContext = 10;
constexpr std::int64_t kLetters = kAlphabet.size();
constexpr std::int64_t kInputs = kContext * kAlphabet.size();
constexpr std::int64_t kBatch = 64;

// In small letters; hyphens are spaces, other signs are left out.
std::string read_poem() {
  std::string poem;
  for (const unsigned char sign : read_file(ACLGRAD_EXAMPLE_DATA "/walrus.txt")) {
    const char small = sign == '-' ? ' ' : static_cast<char>(std::tolower(sign));
    if (kAlphabet.find(small) != std::string_view::npos) poem += small;
  }
  return poem;
}

// Every run of kContext letters, one-hot, with the place of the letter that follows.
data::Dataset examples_of(std::string_view text) {
  const auto place_of = [](char letter) {
    return static_cast<std::int64_t>(kAlphabet.find(letter));
  };
  std::vector<std::int64_t> contexts, next;
  for (; text.size() > kContext; text.remove_prefix(1)) {
    for (const char letter : text.substr(0, kContext)) contexts.push_back(place_of(letter));
    next.push_back(place_of(text[kContext]));
  }
  const Tensor rows = data::one_hot(Tensor::from({std::ssize(contexts)}, contexts), kLetters);
  return {rows.reshape({std::ssize(next), kInputs}), Tensor::from({std::ssize(next)}, next)};
}

}  // namespace

int main() {
  const std::string poem = read_poem();
  const Sequential network(
      Linear("embedding", kInputs, 256, {.activation = Activation::geglu, .seed = 1}), Geglu{},
      Linear("letters", 128, kLetters, {.seed = 2}));
  Graph graph;
  const Value x = graph.input("x", {kBatch, kInputs});
  const Value next = graph.input("next", {kBatch}, DType::int64);
  const Value loss = cross_entropy(network(x), next);
  AdamW optimizer({.learning_rate = 5e-3});
  Session training(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  const data::Batches batches(examples_of(poem),
                              {.batch_size = kBatch, .drop_last = true, .seed = 3});
  for (std::uint64_t epoch = 0; epoch < 12; ++epoch) {
    double sum = 0;
    for (const data::Dataset& batch : batches.epoch(epoch)) {
      sum += training.run({{x, batch.features}, {next, batch.labels}})[loss].item();
    }
    const double nats = sum / static_cast<double>(batches.batches_per_epoch());
    fmt::print("epoch {:>2}  {:.3f} bits a letter\n", epoch + 1, nats / std::numbers::ln2);
  }

  // One letter after the other, each the likeliest after the ten before it.
  Graph writing;
  const Value context = writing.input("context", {1, kInputs});
  const Value logits = network(context);
  Session writer(writing, {logits});
  std::string written = poem.substr(0, kContext);
  while (written.size() < 200) {
    const std::string tail = written.substr(written.size() - kContext) + ' ';  // any last letter
    const Tensor scores = writer.run({{context, examples_of(tail).features}})[logits];
    const auto row = scores.data<float>();
    written += kAlphabet[static_cast<std::size_t>(std::ranges::max_element(row) - row.begin())];
  }
  fmt::print("{}\n", written);
}
