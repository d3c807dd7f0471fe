// SPDX-License-Identifier: Apache-2.0
// Trains a transformer on the characters of a text, writes a paragraph like it, and draws what its
// heads attend to. `./dev transformer` fetches Moby Dick for it.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "examples/program/characters.h"
#include "examples/transformer/model.h"

using namespace aclgrad;
using transformer::Transformer;

namespace {

constexpr transformer::Sizes kSizes{.context = Text::kContext};

struct Options : CharacterOptions {
  std::vector<std::string> activations = {"geglu"};
};

// For each head of each block, how much every place attends to those before it.
std::string attention_picture(const Transformer& model, const data::Dataset& example) {
  report::ImageGrid grid{.title = "Where each head looks: a row for each place, dark is much",
                         .columns = static_cast<int>(kSizes.heads)};
  const NamedTensors maps = intermediate_values(
      model, data::take(example, {{0}}).features,
      [](const std::string& name) { return name.ends_with(".attention.attention"); });
  for (std::size_t block = 0; block < maps.size(); ++block) {
    Tensor map = maps[block].second.to(DType::float32);                  // [1, heads, T, T]
    for (float& weight : map.data<float>()) weight = std::sqrt(weight);  // what is small shows, too
    for (std::int64_t head = 0; head < kSizes.heads; ++head) {
      grid.images.push_back(
          {.pixels = map.slice(1, head, head + 1).reshape({Text::kContext, Text::kContext}),
           .caption = fmt::format("block {}, head {}", block, head)});
    }
  }
  return grid.svg();
}

void run(const Options& options) {
  const Text text(options.data);
  on_ranks(options.program, [&](const Communicator& communicator) {
    report::Table table({"feed-forward", "validation loss, nats a character"});
    for (const std::string& activation : options.activations) {
      const Transformer model(text.characters(), kSizes, activation_named(activation),
                              options.program.dtype, options.program.seed);
      const auto attention = [&] {
        return Pictures{{"attention", attention_picture(model, text.validation())}};
      };
      const double loss =
          train_characters({activation, model, model, attention}, text, options, communicator);
      table.add_row({activation, fmt::format("{:.3f}", loss)});
    }
    if (communicator.is_first()) fmt::print("{}", table.to_string());
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.program.out = "out/transformer";
  CLI::App app("Trains a transformer with GEGLU on the characters of a text");
  app.option_defaults()->always_capture_default();
  app.add_option("--activation", options.activations, "of the feed-forward blocks, one or several")
      ->check(CLI::IsMember({"geglu", "gelu", "relu"}));
  declare_character_options(app, options);
  return run_program("transformer", app, argc, argv, options.program, [&] { run(options); });
}
