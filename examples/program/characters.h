// SPDX-License-Identifier: Apache-2.0
// Models of a text that guess its next character: what the transformer and the recurrent network
// share.
#pragma once

#include <aclgrad/aclgrad.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "examples/program/program.h"

struct CharacterOptions {
  ProgramOptions program;
  std::filesystem::path data = "out/moby-dick/data.txt";
  std::string prompt = "Call me Ishmael.";
  std::int64_t steps = 2000, letters = 500, top_k = 10;
  double temperature = 0.8;
};

// All of them, with the values there are as defaults.
void declare_character_options(CLI::App& app, CharacterOptions& options);

// A text in UTF-8 as the numbers of its characters, cut into windows of kContext: nine tenths to
// train on, and one to validate with.
class Text {
 public:
  static constexpr std::int64_t kContext = 64;

  // Throws aclgrad::IoError for a file that is missing or too short.
  explicit Text(const std::filesystem::path& path);

  // How many characters there are.
  std::int64_t characters() const { return std::ssize(alphabet_); }

  // Characters that the text lacks are left out.
  std::vector<std::int64_t> encode(const std::string& text) const;
  std::string decode(const std::vector<std::int64_t>& numbers) const;

  // Windows [n, kContext], and what follows each of their characters.
  aclgrad::data::Batches batches(std::int64_t batch_size, std::uint64_t seed) const;
  aclgrad::data::Dataset validation() const;

 private:
  std::vector<std::string> alphabet_;  // sorted
  std::vector<std::int64_t> seen_, unseen_;
};

struct CharacterModel {
  std::string name;  // of the run and, after "weights_" and the like, of its files
  aclgrad::Module model;
  std::function<aclgrad::Value(const aclgrad::Value&)> scores;  // [N, T, characters] of [N, T]
  std::function<Pictures()> pictures = [] { return Pictures(); };
};

// Trains a model on all ranks and has it write a paragraph. Returns the validation loss.
double train_characters(const CharacterModel& it, const Text& text, const CharacterOptions& options,
                        const aclgrad::Communicator& communicator);
