// SPDX-License-Identifier: Apache-2.0
// Learns digits that are spoken in five languages from one recording of each voice, distorted in
// many ways, and is asked what voices say that it never heard. `./dev spoken` fetches the
// recordings.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "examples/program/program.h"
#include "examples/spoken/model.h"
#include "examples/spoken/recordings.h"

using namespace aclgrad;
using spoken::Recording;

namespace {

struct Options {
  ProgramOptions program = {.out = "out/spoken"};
  std::filesystem::path data = "out/spoken-data", exported;
  std::vector<std::string> unheard = {"es_Colombia", "fr_Armelle", "it_Menardi"};
  std::int64_t copies = 80, epochs = 12;
};

// Spectrograms and digits of each recording, `copies` distorted ones of each, or as it is (0).
data::Dataset examples(const std::vector<Recording>& recordings, std::int64_t copies,
                       std::uint64_t seed) {
  std::vector<float> sounds;
  std::vector<std::int64_t> digits;
  const std::int64_t count = std::max<std::int64_t>(copies, 1);
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    for (std::int64_t copy = 0; copy < count; ++copy) {
      const Random random(seed,
                          i * static_cast<std::uint64_t>(count) + static_cast<std::uint64_t>(copy));
      const std::vector<float> sound =
          copies == 0 ? spoken::as_it_is(recordings[i]) : spoken::distorted(recordings[i], random);
      sounds.insert(sounds.end(), sound.begin(), sound.end());
      digits.push_back(recordings[i].digit);
    }
  }
  const std::int64_t n = std::ssize(digits);
  return {predict(spoken::spectrogram,
                  Tensor::from({n, spoken::kSamples}, std::span<const float>(sounds))),
          Tensor::from({n}, std::span<const std::int64_t>(digits))};
}

struct Examples {
  std::vector<Recording> heard, unheard;
  data::Dataset train, distorted, others;
};

Examples make(const Options& options) {
  Examples made;
  for (const Recording& recording : spoken::read_recordings(options.data)) {
    const bool is_unheard = std::ranges::count(options.unheard, recording.voice) > 0;
    (is_unheard ? made.unheard : made.heard).push_back(recording);
  }
  if (made.heard.empty() || made.unheard.empty()) {
    throw IoError(fmt::format("{}: voices to hear and voices that stay unheard ({}) are needed",
                              options.data.string(), fmt::join(options.unheard, ", ")));
  }
  made.train = examples(made.heard, options.copies, options.program.seed);
  made.distorted = examples(made.heard, 4, options.program.seed + 1);
  made.others = examples(made.unheard, 0, 0);
  return made;
}

// What voices that were never heard were taken for to say, as spectrograms.
std::string spectrograms(const Examples& examples, const Tensor& classes) {
  report::ImageGrid grid{.title = "Voices never heard: low tones below, loud is dark",
                         .columns = 10};
  const data::Dataset& others = examples.others;
  const std::int64_t frames = others.features.shape()[3];
  for (std::int64_t i = 0; i < others.size(); ++i) {
    Tensor pixels = Tensor::zeros({spoken::kBands, frames});
    const Tensor loudness = others.features.slice(0, i, i + 1);
    const double loudest = max(loudness);
    for (std::int64_t at = 0; at < loudness.numel(); ++at) {
      const std::int64_t row = spoken::kBands - 1 - at / frames;
      pixels.set(row * frames + at % frames, std::max(0.0, loudness.get(at) / loudest));
    }
    const bool right = classes.get(i) == others.labels.get(i);
    grid.images.push_back({.pixels = pixels,
                           .caption = fmt::format("{} as {}", others.labels.get(i), classes.get(i)),
                           .colour = right ? "" : "#D55E00"});
  }
  return grid.svg();
}

void run(const Options& options) {
  const Examples made = make(options);
  if (!options.exported.empty()) {
    write_npz(options.exported, {{"train", made.train.features},
                                 {"train_labels", made.train.labels},
                                 {"distorted", made.distorted.features},
                                 {"distorted_labels", made.distorted.labels},
                                 {"unheard", made.others.features},
                                 {"unheard_labels", made.others.labels}});
    fmt::print("{} is written\n", options.exported.string());
    return;
  }
  fmt::print("{} recordings of voices to hear, each in {} ways, and {} of voices never heard\n",
             made.heard.size(), options.copies, made.unheard.size());
  on_ranks(options.program, [&](const Communicator& communicator) {
    const spoken::Listener model({}, options.program.seed);
    const auto scores = [&](const Value& x) {
      return cast(model(cast(x, options.program.dtype)), DType::float32);
    };
    Predictor predictor(scores);
    const auto percent = [&](const data::Dataset& examples) {
      return 100 * data::accuracy(data::argmax(predictor(examples.features)), examples.labels);
    };
    const data::Batches batches(
        made.train, {.batch_size = 64, .drop_last = true, .seed = options.program.seed});
    const std::int64_t steps = options.epochs * batches.batches_per_epoch();
    const AdamW optimizer(
        {.learning_rate = schedule::cosine(2e-3, std::min<std::int64_t>(100, steps), steps),
         .clip_norm = 1},
        decay_matrices(model.parameters(), 0.05));
    const auto loss = [&](const Value& x, const Value& t) { return cross_entropy(scores(x), t); };
    const History history = train(
        {.name = "listener",
         .model = model,
         .loss = loss,
         .optimizer = std::make_shared<AdamW>(optimizer),
         .batches = batches,
         .fit = {.epochs = options.epochs,
                 .validation = made.distorted,
                 .metrics = {{"distorted", [&] { return percent(made.distorted); }, "Accuracy, %"},
                             {"unheard", [&] { return percent(made.others); }, "Accuracy, %"}},
                 .observe = true},
         .pictures =
             [&] {
               const Tensor classes = data::argmax(predictor(made.others.features));
               report::Heatmap confusion = report::confusion(made.others.labels, classes, 10);
               confusion.title = "Voices never heard: " + confusion.title;
               return Pictures{{"spectrograms", spectrograms(made, classes)},
                               {"confusion", confusion.svg()}};
             }},
        options.program, communicator);
    if (!communicator.is_first()) return;
    fmt::print("{} parameters, {:.0f} s\n{}", model.parameter_count(), history.seconds,
               history.to_string());
    report::Table table({"voice", "% right"});
    table.add_row({"heard, in other ways", fmt::format("{:.1f}", percent(made.distorted))});
    for (std::size_t first = 0; first < made.unheard.size(); first += 10) {
      const auto begin = static_cast<std::int64_t>(first);
      table.add_row({made.unheard[first].voice,
                     fmt::format("{:.1f}", percent(made.others.slice(begin, begin + 10)))});
    }
    table.add_row({"all never heard", fmt::format("{:.1f}", percent(made.others))});
    fmt::print("{}", table.to_string());
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Learns digits spoken in five languages, and listens to voices that it never heard");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "folder with VOICE/DIGIT.wav")
      ->check(CLI::ExistingDirectory);
  app.add_option("--unheard", options.unheard, "voices that are not trained on");
  app.add_option("--copies", options.copies, "distorted ones of every recording")
      ->check(CLI::Range(1, 10000));
  app.add_option("--epochs", options.epochs, "passes over them")->check(CLI::Range(1, 100000));
  app.add_option("--export", options.exported,
                 "write the examples to this archive of NumPy (.npz), and train nothing");
  declare_program_options(app, options.program, "folder for weights, pictures, pages, checkpoints");
  declare_ranks(app, options.program);
  return run_program("spoken", app, argc, argv, options.program, [&] { run(options); });
}
