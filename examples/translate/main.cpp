// SPDX-License-Identifier: Apache-2.0
// Translates dates in words, letter by letter and with mistakes in typing, into digits, by an
// encoder and a decoder with cross-attention, and shows which letters each digit was read from.
// The program makes its data.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "examples/program/program.h"
#include "examples/translate/beam.h"
#include "examples/translate/dates.h"
#include "examples/translate/model.h"

using namespace aclgrad;
using namespace translate;

namespace {

struct Options {
  ProgramOptions program = {.out = "out/translate"};
  std::int64_t steps = 2000, batch = 64, unseen = 1000, beams = 4;
  double mistakes = 0.03;
  std::filesystem::path exported;
  std::vector<std::string> words;
};

constexpr std::int64_t kHeldOut = 3049;  // days that no example is trained on

struct Days {
  explicit Days(std::uint64_t seed) : all(random_permutation(kDays, seed)) {}
  std::span<const std::int64_t> seen() const { return std::span(all).subspan(kHeldOut); }
  std::span<const std::int64_t> unseen() const { return std::span(all).first(kHeldOut); }
  std::vector<std::int64_t> all;
};

std::vector<std::int64_t> first_rows(std::int64_t count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  return rows;
}

// What the encoder reads, [1, kSource].
Tensor letters_of(const std::string& words) {
  const std::vector<std::int64_t> letters = encode_words(words);
  return Tensor::from({1, kSource}, std::span<const std::int64_t>(letters));
}

// How much each digit looks at each letter, of the last block's heads together.
std::string attention(const Translator& model, const std::string& words) {
  const Tensor source = letters_of(words);
  const Tensor digits = beam_search(model, source, {.beams = 1});
  Tensor begun = Tensor::full({1, kTarget}, kBegin, DType::int64);
  for (std::int64_t i = 1; i < kTarget; ++i) begun.set(i, digits.get(i - 1));
  const std::string wanted = ".cross_attention.attention";
  Graph graph;
  const Value x = graph.input("source", source.shape(), DType::int64);
  const Value y = graph.input("begun", begun.shape(), DType::int64);
  model.decode(model.encode(x), x, y);
  Value weights;
  for (std::size_t id = 0; id < graph.value_count(); ++id) {
    const Value value = graph.value(static_cast<ValueId>(id));
    if (value.name().ends_with(wanted)) weights = value;  // the last one stays
  }
  Session session(graph, {weights});
  const Tensor map = session.run({{x, source}, {y, begun}})[weights].to(DType::float32);
  const auto shown = std::min<std::int64_t>(std::ssize(words), kSource);
  report::Heatmap heatmap{.title = "Which letters a digit is read from",
                          .row_title = "written",
                          .column_title = "read",
                          .values = Tensor::zeros({kTarget, shown})};
  const std::string written = decode_digits(digits.data<std::int64_t>());
  for (const char character : written) heatmap.row_labels.emplace_back(1, character);
  for (std::int64_t i = 0; i < shown; ++i) {
    heatmap.column_labels.emplace_back(1, words[static_cast<std::size_t>(i)]);
  }
  const std::int64_t heads = map.shape()[1];
  for (std::int64_t row = 0; row < kTarget; ++row) {
    for (std::int64_t column = 0; column < shown; ++column) {
      double sum = 0;
      for (std::int64_t head = 0; head < heads; ++head) {
        sum += map.get((head * kTarget + row) * kSource + column);
      }
      heatmap.values.set(row * shown + column, sum / static_cast<double>(heads));
    }
  }
  return heatmap.svg();
}

void show(const Translator& model, const std::string& words, std::int64_t beams) {
  const Tensor source = letters_of(words);
  const Tensor digits = beam_search(model, source, {.beams = beams});
  fmt::print("{}  {}\n", decode_digits(digits.data<std::int64_t>()), words);
}

void run(const Options& options) {
  const std::uint64_t seed = options.program.seed;
  const Days days(seed);
  const auto make = [&](std::span<const std::int64_t> rows) {
    return dates(rows, days.seen(), options.mistakes, seed);
  };
  const data::Dataset unseen =
      dates(first_rows(options.unseen), days.unseen(), options.mistakes, seed + 1);
  if (!options.exported.empty()) {
    NamedTensors arrays;
    const data::Dataset train = make(first_rows(options.steps * options.batch));
    for (const auto& [name, tensor] : train.parts) {
      arrays.emplace_back("train_" + name, tensor.to(DType::uint8));
    }
    for (const auto& [name, tensor] : unseen.parts) {
      arrays.emplace_back("unseen_" + name, tensor.to(DType::uint8));
    }
    write_npz(options.exported, arrays);
    fmt::print("{} is written\n", options.exported.string());
    return;
  }
  on_ranks(options.program, [&](const Communicator& communicator) {
    const Translator model({.letters = kLetters, .digits = kDigits}, options.program.dtype, seed);
    const data::Batches batches(std::int64_t{1} << 40, make,
                                {.batch_size = options.batch, .shuffle = false, .seed = seed});
    const std::int64_t warm_up = std::min<std::int64_t>(100, options.steps);
    const AdamW optimizer({.learning_rate = schedule::cosine(2e-3, warm_up, options.steps),
                           .beta2 = 0.99,
                           .clip_norm = 1},
                          decay_matrices(model.parameters(), 0.01));
    const std::string example =
        options.words.empty() ? "the twenty-third of may, nineteen eighty-seven" : options.words[0];
    const History history = train(
        {.name = "translator",
         .model = model,
         .loss =
             [&](const BatchValues& batch) { return cross_entropy(model(batch), batch["target"]); },
         .optimizer = std::make_shared<AdamW>(optimizer),
         .batches = batches,
         .fit = {.steps = options.steps,
                 .evaluate_every = std::max<std::int64_t>(options.steps / 8, 1),
                 .validation = unseen,
                 .observe = true,
                 .prefetch = true},
         .pictures =
             [&] {
               return Pictures{{"attention", attention(model, example)}};
             }},
        options.program, communicator);
    if (!communicator.is_first()) return;
    fmt::print("{} parameters, {:.0f} s\n{}", model.parameter_count(), history.seconds,
               history.to_string());
    report::Table table({"search", "dates never seen, % right"});
    const Tensor& sources = unseen.parts[0].second;
    const Tensor& targets = unseen.parts[2].second;
    std::vector<std::int64_t> widths = {1};
    if (options.beams > 1) widths.push_back(options.beams);
    for (const std::int64_t beams : widths) {
      const Tensor written = beam_search(model, sources, {.beams = beams});
      table.add_row({beams == 1 ? "greedy" : fmt::format("{} beams", beams),
                     fmt::format("{:.1f}", percent_right(written, targets))});
    }
    fmt::print("{}", table.to_string());
    std::vector<std::string> words = options.words;
    if (words.empty()) {
      words = {example, "febuary the twentynineth, two thousand",
               "in nineteen oh one, on mey first"};
    }
    for (const std::string& each : words) show(model, each, options.beams);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Translates dates in words into digits, by an encoder and a decoder");
  app.option_defaults()->always_capture_default();
  app.add_option("words", options.words, "dates to translate after training, in lower case");
  app.add_option("--steps", options.steps, "of training")->check(CLI::Range(1, 100000000));
  app.add_option("--batch", options.batch, "dates of a step")->check(CLI::Range(1, 100000));
  app.add_option("--unseen", options.unseen, "dates to test with")->check(CLI::Range(1, 100000));
  app.add_option("--mistakes", options.mistakes, "the share of letters that are mistyped")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--beams", options.beams, "beginnings that the search keeps")
      ->check(CLI::Range(1, 12));
  app.add_option("--export", options.exported,
                 "write the examples to this archive of NumPy (.npz), and train nothing");
  declare_program_options(app, options.program, "folder for weights, pictures, pages, checkpoints");
  declare_ranks(app, options.program);
  return run_program("translate", app, argc, argv, options.program, [&] { run(options); });
}
