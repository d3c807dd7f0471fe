// SPDX-License-Identifier: Apache-2.0
// Trains networks that classify pictures, one for each activation, and compares them.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_CLASSIFIER_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_CLASSIFIER_H_

#include <aclgrad/aclgrad.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "examples/program/program.h"

struct ClassifierOptions {
  ProgramOptions program = {};
  std::string data = {};
  std::vector<std::string> activations = {};  // all that there are
  std::int64_t epochs = 5, batch = 128;
  std::int64_t stop_after = 1000000;  // epochs
};

// All but --data and those of declare_ranks(), with the values there are as defaults.
void declare_classifier_options(CLI::App& app, ClassifierOptions& options);

// A network, and what it is trained with. Features are pictures, square and of one colour.
struct Classifier {
  std::string name;  // of the run and, after "weights_" and the like, of its files
  aclgrad::Module model;
  std::function<aclgrad::Value(const aclgrad::Value&)> scores;  // [n, classes]
  std::shared_ptr<aclgrad::Optimizer> optimizer;
  aclgrad::data::Batches batches;
  const aclgrad::data::Dataset& test;

  const aclgrad::data::Dataset* train = nullptr;  // whose accuracy is measured, too
  std::optional<std::int64_t> checkpoint_every = std::nullopt;
  // For the page; a run that goes on must have the same.
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::map<std::string, std::function<std::string()>> pictures = {};  // drawn in the end
};

struct Classified {
  aclgrad::History history;          // metrics: % right of the test pictures, and of `train`
  aclgrad::RunRecord record;         // of the page
  aclgrad::report::Series accuracy;  // % right of the test pictures after each epoch
};

// Trains on all ranks, with a page and checkpoints in program.out; leaves there weights, a summary,
// the graph, pictures of what is taken for what, and of mistakes. The first rank's result counts.
Classified train_classifier(const Classifier& it, std::int64_t epochs,
                            const ProgramOptions& options,
                            const aclgrad::Communicator& communicator);

// Trains a network for each activation; prints what each epoch brought and a table, and leaves
// accuracy.svg, loss.svg and report.html, which compare them, in program.out.
void compare_classifiers(const ClassifierOptions& options,
                         const std::function<Classifier(const std::string& activation)>& make);

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_CLASSIFIER_H_
