// SPDX-License-Identifier: Apache-2.0
#include "examples/program/characters.h"

#include <aclgrad/format.h>

#include <algorithm>
#include <functional>

using namespace aclgrad;

namespace {

std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> all;
  for (const char byte : text) {
    const bool goes_on = (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    if (!goes_on || all.empty()) all.emplace_back();
    all.back() += byte;
  }
  return all;
}

// The characters from each start on, and those one place later.
data::Dataset windows(std::span<const std::int64_t> text, std::span<const std::int64_t> starts) {
  std::vector<std::int64_t> here, next;
  for (const std::int64_t start : starts) {
    const auto at = text.subspan(static_cast<std::size_t>(start), Text::kContext + 1);
    here.insert(here.end(), at.begin(), at.end() - 1);
    next.insert(next.end(), at.begin() + 1, at.end());
  }
  const Shape shape{std::ssize(starts), Text::kContext};
  return {Tensor::from(shape, std::span<const std::int64_t>(here)),
          Tensor::from(shape, std::span<const std::int64_t>(next))};
}

// Goes on from the prompt.
std::string write(const CharacterModel& it, const Text& text, const CharacterOptions& options) {
  Predictor predictor(it.scores, 0);
  std::vector<std::int64_t> written = text.encode(options.prompt);
  if (written.empty()) written.push_back(0);
  RandomSequence random(options.program.seed);
  const Tensor all = generate(
      std::ref(predictor),
      Tensor::from({1, std::ssize(written)}, std::span<const std::int64_t>(written)), random,
      {.length = options.letters,
       .context = Text::kContext,
       .temperature = options.temperature,
       .top_k = options.top_k});
  const auto numbers = all.data<std::int64_t>();
  return text.decode({numbers.begin(), numbers.end()});
}

}  // namespace

void declare_character_options(CLI::App& app, CharacterOptions& options) {
  app.add_option("--data", options.data, "the text")->check(CLI::ExistingFile);
  app.add_option("--steps", options.steps, "of 12 windows of 64 characters")
      ->check(CLI::Range(1, 100000000));
  app.add_option("--prompt", options.prompt, "what the paragraph begins with");
  app.add_option("--letters", options.letters, "of the paragraph")->check(CLI::Range(0, 1000000));
  app.add_option("--temperature", options.temperature, "below 1 bolder, above 1 wilder")
      ->check(CLI::Range(0.01, 100.0));
  app.add_option("--top-k", options.top_k, "only the likeliest so many")->check(CLI::Range(1, 256));
  declare_program_options(app, options.program, "folder for weights, pictures, pages, checkpoints");
  declare_ranks(app, options.program);
}

Text::Text(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  alphabet_ = characters_of(content);
  std::ranges::sort(alphabet_);
  const auto rest = std::ranges::unique(alphabet_);
  alphabet_.erase(rest.begin(), rest.end());
  seen_ = encode(content);
  if (std::ssize(seen_) < 20 * kContext) {
    throw IoError(
        fmt::format("{} has {} characters, too few to learn from", path.string(), seen_.size()));
  }
  const auto cut = seen_.begin() + std::ssize(seen_) * 9 / 10;
  unseen_.assign(cut, seen_.end());
  seen_.erase(cut, seen_.end());
}

std::vector<std::int64_t> Text::encode(const std::string& text) const {
  std::vector<std::int64_t> all;
  for (const std::string& character : characters_of(text)) {
    const auto place = std::ranges::lower_bound(alphabet_, character);
    if (place != alphabet_.end() && *place == character) all.push_back(place - alphabet_.begin());
  }
  return all;
}

std::string Text::decode(const std::vector<std::int64_t>& numbers) const {
  std::string text;
  for (const std::int64_t number : numbers) text += alphabet_[static_cast<std::size_t>(number)];
  return text;
}

data::Batches Text::batches(std::int64_t batch_size, std::uint64_t seed) const {
  return {std::ssize(seen_) - kContext,
          [this](std::span<const std::int64_t> starts) { return windows(seen_, starts); },
          {.batch_size = batch_size, .drop_last = true, .seed = seed}};
}

data::Dataset Text::validation() const {
  std::vector<std::int64_t> starts;
  for (std::int64_t at = 0; at + kContext < std::ssize(unseen_); at += kContext)
    starts.push_back(at);
  return windows(unseen_, starts);
}

double train_characters(const CharacterModel& it, const Text& text, const CharacterOptions& options,
                        const Communicator& communicator) {
  const std::int64_t warm_up = std::min<std::int64_t>(100, options.steps);
  const AdamW optimizer({.learning_rate = schedule::cosine(1e-3, warm_up, options.steps, 1e-4),
                         .beta2 = 0.99,
                         .clip_norm = 1},
                        decay_matrices(it.model.parameters(), 0.1));
  const auto loss = [&](const Value& x, const Value& next) {
    return cross_entropy(it.scores(x), next);
  };
  const History history =
      train({.name = it.name,
             .model = it.model,
             .loss = loss,
             .optimizer = std::make_shared<AdamW>(optimizer),
             .batches = text.batches(12, options.program.seed),
             .fit = {.steps = options.steps,
                     .evaluate_every = std::max<std::int64_t>(options.steps / 8, 1),
                     .validation = text.validation(),
                     .observe = true},
             .pictures = it.pictures},
            options.program, communicator);
  if (communicator.is_first()) {
    fmt::print("{}: {} parameters, {:.0f} s\n{}", it.name, it.model.parameter_count(),
               history.seconds, history.to_string());
    const std::string paragraph = write(it, text, options);
    write_file_atomically(options.program.out / ("text_" + it.name + ".txt"), paragraph + "\n");
    fmt::print("\n{}\n\n", paragraph);
  }
  return history.evaluations.back().validation_loss;
}
