// SPDX-License-Identifier: Apache-2.0
// Trains random problems and writes of each what PyTorch needs to do the same, and what came of it:
// a safetensors file FOLDER/SEED.safetensors with
//   parameter.*, buffer.*           the initial ones, in the order of the model
//   batch.N.features, batch.N.labels, evaluation.features, evaluation.labels
//   float32.*, float64.*            what training left (see Trained) in that dtype
// and in its metadata the description, the names of frozen parameters, and why it was refused.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "tests/training/models/train.h"

namespace aclgrad::training {
namespace {

void add_examples(NamedTensors& tensors, const std::string& name, const data::Dataset& examples) {
  tensors.emplace_back(name + ".features", examples.features);
  tensors.emplace_back(name + ".labels", examples.labels);
}

void add_problem(NamedTensors& tensors, const Problem& problem) {
  for (auto& [name, tensor] : values_of(problem.model.parameters())) {
    tensors.emplace_back("parameter." + name, tensor);
  }
  for (auto& [name, tensor] : values_of(problem.model.buffers())) {
    tensors.emplace_back("buffer." + name, tensor);
  }
  for (std::size_t i = 0; i < problem.batches.size(); ++i) {
    add_examples(tensors, fmt::format("batch.{}", i), problem.batches[i]);
  }
  add_examples(tensors, "evaluation", problem.evaluation);
}

void write(const Spec& spec, const std::filesystem::path& path) {
  NamedTensors tensors;
  Metadata metadata{{"spec", spec.dump()}};
  try {
    const std::unique_ptr<Problem> problem = build(spec);
    add_problem(tensors, *problem);
    Json frozen = Json::array();
    for (const Variable& variable : problem->model.frozen_parameters()) {
      frozen.push_back(variable.name());
    }
    metadata["frozen"] = frozen.dump();
    for (const DType dtype : {DType::float32, DType::float64}) {
      Way way{.numbers = {.dtype = dtype}};
      way.evaluation_batch_size = spec.at("evaluation").at("examples");
      for (const auto& [name, tensor] : train(spec, way).tensors) {
        tensors.emplace_back(fmt::format("{}.{}", to_string(dtype), name), tensor);
      }
    }
  } catch (const Error& error) {
    metadata["refused"] = error.what();
  }
  save_safetensors(path, tensors, metadata);
}

}  // namespace
}  // namespace aclgrad::training

int main(int argc, char** argv) {
  std::uint64_t seed = 1, count = 100;
  std::string folder, spec;
  CLI::App app{"Trains random problems, for PyTorch to do the same."};
  app.add_option("folder", folder, "where files go")->required();
  app.add_option("--seed", seed, "of the first problem")->capture_default_str();
  app.add_option("--count", count, "of problems")->capture_default_str();
  app.add_option("--spec", spec, "one problem, as JSON, instead");
  CLI11_PARSE(app, argc, argv);
  using namespace aclgrad::training;
  try {
    const auto file = [&](std::uint64_t number) {
      return std::filesystem::path(folder) / fmt::format("{:020}.safetensors", number);
    };
    if (!spec.empty()) {
      write(Json::parse(spec), file(0));
      return 0;
    }
    for (std::uint64_t i = 0; i < count; ++i) write(generate(seed + i), file(seed + i));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare-torch: {}\n", error.what());
    return 2;
  }
}
