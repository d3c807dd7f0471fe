// SPDX-License-Identifier: Apache-2.0
// The short form of fuzzing, for every compiler: the corpora, each of their inputs cut off after
// every byte and changed a little in many ways, and random bytes. The same numbers every time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace aclgrad::fuzz {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> inputs;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

class Inputs {
 public:
  explicit Inputs(std::vector<Bytes> corpus) : corpus_(std::move(corpus)) {}

  Bytes next() {
    return corpus_.empty() || below(4) == 0 ? random() : changed(corpus_[below(corpus_.size())]);
  }

 private:
  size_t below(size_t count) { return count == 0 ? 0 : generator_() % count; }
  uint8_t byte() { return static_cast<uint8_t>(generator_()); }

  Bytes random() {
    Bytes bytes(below(512));
    for (uint8_t& each : bytes) each = byte();
    return bytes;
  }

  Bytes changed(Bytes bytes) {
    for (size_t changes = 1 + below(4); changes > 0; --changes) {
      const size_t at = below(bytes.size() + 1);
      const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      switch (below(4)) {
        case 0:
          bytes.insert(place, byte());
          break;
        case 1:
          if (place != bytes.end()) bytes.erase(place);
          break;
        case 2:
          bytes.erase(place, bytes.end());  // truncated
          break;
        default:
          if (place != bytes.end()) *place = byte();
      }
    }
    return bytes;
  }

  std::vector<Bytes> corpus_;
  std::mt19937 generator_{20240229};
};

int run(const Target& target, const std::filesystem::path& corpora, int64_t count) {
  const std::vector<Bytes> corpus = read_corpus(corpora / target.name);
  size_t cuts = 0;
  for (const Bytes& each : corpus) {
    target.run(each.data(), each.size());
    for (size_t size = 0; size < each.size(); ++size, ++cuts) {
      const Bytes cut(each.begin(), each.begin() + static_cast<std::ptrdiff_t>(size));
      target.run(cut.data(), size);
    }
  }
  Inputs inputs(corpus);
  for (int64_t i = 0; i < count; ++i) {
    const Bytes bytes = inputs.next();
    target.run(bytes.data(), bytes.size());
  }
  fmt::print("{}: {} inputs of the corpus, {} cut off and {} more, no finding\n", target.name,
             corpus.size(), cuts, count);
  return corpus.empty() ? 1 : 0;
}

}  // namespace
}  // namespace aclgrad::fuzz

int main(int argc, char** argv) {
  CLI::App app{"Runs a fuzz target over its corpus and over made-up inputs."};
  std::string name, corpora;
  int64_t count = 20000;
  app.add_option("target", name)->required();
  app.add_option("corpora", corpora, "The folder tests/fuzz/corpus")->required();
  app.add_option("--count", count, "How many made-up inputs");
  CLI11_PARSE(app, argc, argv);
  for (const aclgrad::fuzz::Target& each : aclgrad::fuzz::targets()) {
    if (name == each.name) return aclgrad::fuzz::run(each, corpora, count);
  }
  fmt::print(stderr, "there is no target {}\n", name);
  return 2;
}
