// SPDX-License-Identifier: Apache-2.0
// What programs that train a network have in common: options, ranks, what becomes of errors.
#pragma once

#include <aclgrad/aclgrad.h>
#include <aclgrad/distributed.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

struct ProgramOptions {
  std::filesystem::path out = {};
  std::uint64_t seed = 1;  // of weights, batches, masks
  int threads = 0;
  bool resume = false;
  aclgrad::DType dtype = aclgrad::DType::float32;  // of the activations
  bool data_parallel = false;                      // with the other processes of a launcher
  int ranks = 1;                                   // in this process
  std::int64_t micro_batches = 0;
  bool sharded = false;  // the optimizer's state
};

// --dtype, --seed, --threads, --resume and --out, for which the program says what goes there.
void declare_program_options(CLI::App& app, ProgramOptions& options, const std::string& out);

// --data-parallel, --ranks, --micro-batches, --zero.
void declare_ranks(CLI::App& app, ProgramOptions& options);

// Parses, runs `body` and returns the exit status: 2 when options or files are at fault, 1 when
// something went wrong on the way.
int run_program(const std::string& name, CLI::App& app, int argc, char** argv,
                const ProgramOptions& options, const std::function<void()>& body);

// Runs `body` on every rank that the options ask for.
void on_ranks(const ProgramOptions& options,
              const std::function<void(const aclgrad::Communicator&)>& body);

using Pictures = std::map<std::string, std::string>;  // SVG by name

// A network, and how it is trained.
struct Training {
  std::string name;  // of the run and, after "weights_" and the like, of its files
  aclgrad::Module model;
  aclgrad::LossFunction loss = {};
  std::shared_ptr<aclgrad::Optimizer> optimizer;
  aclgrad::data::Batches batches;
  aclgrad::FitOptions fit = {};  // without what follows from the name and from ProgramOptions

  // Drawn in the end, for the page and for files of their own.
  std::function<Pictures()> pictures = [] { return Pictures(); };
};

// Trains on all ranks, with a page and a checkpoint in options.out; leaves there the weights, a
// summary of the model, its graph, and the pictures. The first rank's history counts.
aclgrad::History train(const Training& it, const ProgramOptions& options,
                       const aclgrad::Communicator& communicator);
