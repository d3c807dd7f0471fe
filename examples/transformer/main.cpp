// SPDX-License-Identifier: Apache-2.0
// Trains a transformer on the characters of a text, writes a paragraph like it, and draws what its
// heads attend to. `./dev transformer` fetches Moby Dick for it.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "examples/classifier/program.h"
#include "examples/transformer/model.h"

using namespace aclgrad;
using transformer::Transformer;

namespace {

constexpr transformer::Sizes kSizes;
constexpr std::int64_t kContext = kSizes.context;

struct Options {
  ProgramOptions program{.out = "out/transformer"};
  std::filesystem::path data = "out/moby-dick/data.txt";
  std::vector<std::string> activations = {"geglu"};
  std::string prompt = "Call me Ishmael.";
  std::int64_t steps = 2000, letters = 500, top_k = 10;
  double temperature = 0.8;
};

// The characters of a text in UTF-8.
std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> all;
  for (const char byte : text) {
    const bool goes_on = (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    if (!goes_on || all.empty()) all.emplace_back();
    all.back() += byte;
  }
  return all;
}

// A text as the numbers of its characters.
struct Text {
  explicit Text(const std::string& content) : alphabet(characters_of(content)) {
    std::ranges::sort(alphabet);
    const auto rest = std::ranges::unique(alphabet);
    alphabet.erase(rest.begin(), rest.end());
    numbers = number(content);
  }
  // Characters that the text lacks are left out.
  std::vector<std::int64_t> number(const std::string& content) const {
    std::vector<std::int64_t> all;
    for (const std::string& character : characters_of(content)) {
      const auto place = std::ranges::lower_bound(alphabet, character);
      if (place != alphabet.end() && *place == character) all.push_back(place - alphabet.begin());
    }
    return all;
  }
  std::vector<std::string> alphabet;
  std::vector<std::int64_t> numbers;
};

// The characters from each start on, and those one place later.
data::Dataset windows(std::span<const std::int64_t> text, std::span<const std::int64_t> starts) {
  std::vector<std::int64_t> here, next;
  for (const std::int64_t start : starts) {
    const auto at = text.subspan(static_cast<std::size_t>(start), kContext + 1);
    here.insert(here.end(), at.begin(), at.end() - 1);
    next.insert(next.end(), at.begin() + 1, at.end());
  }
  const Shape shape{std::ssize(starts), kContext};
  return {Tensor::from(shape, std::span<const std::int64_t>(here)),
          Tensor::from(shape, std::span<const std::int64_t>(next))};
}

// Goes on from the prompt: each character is drawn from the likeliest `top_k`.
std::string write(const Transformer& model, const Text& text, const Options& options) {
  Predictor predictor(model);
  std::vector<std::int64_t> written = text.number(options.prompt);
  if (written.empty()) written.push_back(0);
  RandomSequence random(options.program.seed);
  const auto characters = std::ssize(text.alphabet);
  for (std::int64_t count = 0; count < options.letters; ++count) {
    const auto known = std::min<std::size_t>(written.size(), kContext);
    std::vector<std::int64_t> window(written.end() - static_cast<std::ptrdiff_t>(known),
                                     written.end());
    window.resize(kContext);  // what comes after the last character is not looked at
    const Tensor scores =
        predictor(Tensor::from({1, kContext}, std::span<const std::int64_t>(window)));
    const std::int64_t row = (static_cast<std::int64_t>(known) - 1) * characters;
    std::vector<std::int64_t> order(text.alphabet.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::ranges::sort(order, std::greater(), [&](std::int64_t c) { return scores.get(row + c); });
    order.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(options.top_k, 1, characters)));
    std::vector<double> weights;
    for (const std::int64_t c : order) {
      weights.push_back(
          std::exp((scores.get(row + c) - scores.get(row + order.front())) / options.temperature));
    }
    double draw = random.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t chosen = 0;
    while (chosen + 1 < weights.size() && draw >= weights[chosen]) draw -= weights[chosen++];
    written.push_back(order[chosen]);
  }
  std::string result;
  for (const std::int64_t c : written) result += text.alphabet[static_cast<std::size_t>(c)];
  return result;
}

// For each head of each block, how much every place attends to those before it.
std::string attention_picture(const Transformer& model, const data::Dataset& example) {
  Graph graph(Mode::evaluation);
  const Value x = graph.input("x", {1, kContext}, DType::int64);
  std::vector<Fetch> fetches = {model(x)};
  std::vector<Value> maps;
  for (std::size_t id = 0; id < graph.value_count(); ++id) {
    const Value value = graph.value(static_cast<ValueId>(id));
    if (value.name().ends_with(".attention.attention")) maps.push_back(value);
  }
  fetches.insert(fetches.end(), maps.begin(), maps.end());
  const Results results = Session(graph, fetches).run({{x, data::take(example, {{0}}).features}});
  report::ImageGrid grid{.title = "Where each head looks: a row for each place, dark is much",
                         .columns = static_cast<int>(kSizes.heads)};
  for (const Value& map : maps) {
    const Tensor weights = results[map].to(DType::float32);
    for (std::int64_t head = 0; head < kSizes.heads; ++head) {
      const auto all = weights.data<float>().subspan(
          static_cast<std::size_t>(head * kContext * kContext), kContext * kContext);
      std::vector<float> roots(all.size());  // what is small shows, too
      std::ranges::transform(all, roots.begin(), [](float w) { return std::sqrt(w); });
      grid.images.push_back(
          {.pixels = Tensor::from({kContext, kContext}, std::span<const float>(roots)),
           .caption =
               fmt::format("block {}, head {}",
                           grid.images.size() / static_cast<std::size_t>(kSizes.heads), head)});
    }
  }
  return grid.svg();
}

// The validation loss in the end.
double train(const std::string& activation, const Text& text, const Options& options,
             const Communicator& communicator) {
  const std::span<const std::int64_t> numbers(text.numbers);
  const auto [seen, unseen] =
      std::pair(numbers.first(numbers.size() * 9 / 10), numbers.subspan(numbers.size() * 9 / 10));
  std::vector<std::int64_t> starts;
  for (std::int64_t at = 0; at + kContext < std::ssize(unseen); at += kContext)
    starts.push_back(at);
  const data::Dataset validation = windows(unseen, starts);
  const data::Batches batches(
      std::ssize(seen) - kContext,
      [seen = seen](std::span<const std::int64_t> rows) { return windows(seen, rows); },
      {.batch_size = 12, .drop_last = true, .seed = options.program.seed});

  const Transformer model(std::ssize(text.alphabet), kSizes, activation, options.program.dtype,
                          options.program.seed);
  AdamW optimizer({.learning_rate = schedule::cosine(
                       1e-3, std::min<std::int64_t>(100, options.steps), options.steps, 1e-4),
                   .beta2 = 0.99,
                   .clip_norm = 1},
                  decay_matrices(model.parameters(), 0.1));
  const std::unique_ptr<Ranks> ranks = make_ranks(options.program, communicator);
  Trainer trainer(
      model, [&](const Value& x, const Value& next) { return cross_entropy(model(x), next); },
      optimizer, trainer_options(options.program, *ranks));
  RunReport report(options.program.out / ("report_" + activation + ".html"), {.title = activation});
  const History history = fit(trainer, batches,
                              {.steps = options.steps,
                               .evaluate_every = std::max<std::int64_t>(options.steps / 8, 1),
                               .validation = validation,
                               .checkpoint = options.program.out / ("checkpoint_" + activation),
                               .resume = options.program.resume,
                               .log = &report,
                               .observe = true,
                               .title = activation});
  const double loss =
      history.evaluations.empty() ? NAN : history.evaluations.back().validation_loss;
  if (!communicator.is_first()) return loss;
  fmt::print("{}: {} parameters, {:.0f} s\n{}", activation, model.parameter_count(),
             history.seconds, history.to_string());
  model.save(options.program.out / ("weights_" + activation + ".safetensors"));
  write_file_atomically(options.program.out / ("graph_" + activation + ".html"),
                        VizPage(trainer.graph(), {.title = "One step of training"}).html());
  write_file_atomically(options.program.out / ("attention_" + activation + ".svg"),
                        attention_picture(model, validation));
  const std::string paragraph = write(model, text, options);
  write_file_atomically(options.program.out / ("text_" + activation + ".txt"), paragraph + "\n");
  fmt::print("\n{}\n\n", paragraph);
  return loss;
}

void run(const Options& options) {
  const Text text(read_file(options.data));
  if (std::ssize(text.numbers) < 20 * kContext) {
    throw IoError(fmt::format("{} has {} characters, too few to learn from", options.data.string(),
                              text.numbers.size()));
  }
  std::filesystem::create_directories(options.program.out);
  on_ranks(options.program, [&](const Communicator& communicator) {
    report::Table table({"feed-forward", "validation loss, nats a character"});
    for (const std::string& activation : options.activations) {
      const double loss = train(activation, text, options, communicator);
      table.add_row({activation, fmt::format("{:.3f}", loss)});
    }
    if (communicator.is_first()) fmt::print("{}", table.to_string());
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a transformer with GEGLU on the characters of a text");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "the text")->check(CLI::ExistingFile);
  app.add_option("--activation", options.activations, "of the feed-forward blocks, one or several")
      ->check(CLI::IsMember({"geglu", "gelu", "relu"}));
  app.add_option("--steps", options.steps, "of 12 windows of 64 characters")
      ->check(CLI::Range(1, 100000000));
  declare_dtype(app, options.program);
  declare_program_options(app, options.program, "folder for weights, pictures, pages, checkpoints");
  declare_resume(app, options.program);
  declare_ranks(app, options.program);
  app.add_option("--prompt", options.prompt, "what the paragraph begins with");
  app.add_option("--letters", options.letters, "of the paragraph")->check(CLI::Range(0, 1000000));
  app.add_option("--temperature", options.temperature, "below 1 bolder, above 1 wilder")
      ->check(CLI::Range(0.01, 100.0));
  app.add_option("--top-k", options.top_k, "only the likeliest so many")->check(CLI::Range(1, 256));
  return run_program("transformer", app, argc, argv, options.program, [&] { run(options); });
}
