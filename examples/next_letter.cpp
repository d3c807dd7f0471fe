// SPDX-License-Identifier: Apache-2.0
// Learns to guess the next letter of a poem from the ten before it (out/next_letter/learning.svg),
// then writes a few lines. Products with one-hot rows pick rows of a matrix: the first layer is an
// embedding.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <numbers>

using namespace aclgrad;

namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz \n";
constexpr std::size_t kContext = 10;
constexpr std::int64_t kLetters = kAlphabet.size();
constexpr std::int64_t kInputs = kContext * kAlphabet.size();
constexpr std::int64_t kBatch = 64;
constexpr int kEpochs = 12;

// In small letters; hyphens are spaces, other signs are left out.
std::string read_poem() {
  std::string poem;
  for (const char sign : read_file(ACLGRAD_EXAMPLE_DATA "/walrus.txt")) {
    const auto letter = static_cast<unsigned char>(sign);
    const char small = sign == '-' ? ' ' : static_cast<char>(std::tolower(letter));
    if (kAlphabet.find(small) != std::string_view::npos) poem += small;
  }
  return poem;
}

std::int64_t place_of(char letter) { return static_cast<std::int64_t>(kAlphabet.find(letter)); }

// Every run of kContext letters, one-hot, with the place of the letter that follows.
data::Dataset examples_of(std::string_view text) {
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
      Linear("embedding", kInputs, 256, {.init_for = Activation::geglu, .seed = 1}), Geglu{},
      Linear("letters", 128, kLetters, {.seed = 2}));
  Graph graph;
  const Value x = graph.input("x", {kBatch, kInputs});
  const Value next = graph.input("next", {kBatch}, DType::int64);
  const Value loss = cross_entropy(network(x), next);
  AdamW optimizer({.learning_rate = 5e-3});
  Session training(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  const data::Batches batches(examples_of(poem),
                              {.batch_size = kBatch, .drop_last = true, .seed = 3});
  report::Series learning{.name = "the network"};
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    double nats = 0;
    for (const data::Dataset& batch : batches.epoch(epoch)) {
      nats += training.run({{x, batch.features}, {next, batch.labels}})[loss].item();
    }
    learning.x.push_back(static_cast<double>(epoch + 1));
    learning.y.push_back(nats / static_cast<double>(batches.batches_per_epoch()) /
                         std::numbers::ln2);
    fmt::print("epoch {:>2}  {:.3f} bits a letter\n", epoch + 1, learning.y.back());
  }
  report::LineChart chart{.title = "The next letter of a poem, after ten",
                          .x_label = "epoch",
                          .y_label = "bits a letter"};
  const double blind = std::log2(kLetters);
  chart.series = {learning, {.name = "any of 28 letters", .x = {1, kEpochs}, .y = {blind, blind}}};
  std::filesystem::create_directories("out/next_letter");
  write_file_atomically("out/next_letter/learning.svg", chart.svg());

  // One letter after the other, each the likeliest after the ten before it.
  Predictor writer(network);
  std::string written = poem.substr(0, kContext);
  while (written.size() < 200) {
    const std::string tail = written.substr(written.size() - kContext) + ' ';  // any last letter
    const Tensor likeliest = data::argmax(writer(examples_of(tail).features));
    written += kAlphabet[static_cast<std::size_t>(likeliest.get(0))];
  }
  fmt::print("{}\n", written);
}
