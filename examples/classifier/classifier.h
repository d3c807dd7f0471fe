// SPDX-License-Identifier: Apache-2.0
// Trains networks that classify pictures.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_CLASSIFIER_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_CLASSIFIER_H_

#include <aclgrad/aclgrad.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "examples/classifier/program.h"

// A network, and what it is trained with. Features are pictures, square and of one colour.
struct Classification {
  std::string name;  // of the run and, after "weights_" and the like, of its files
  aclgrad::Module model;
  std::function<aclgrad::Value(const aclgrad::Value&)> scores;  // [n, classes]
  aclgrad::Optimizer& optimizer;
  const aclgrad::data::Batches& batches;
  const aclgrad::data::Dataset& test;
  std::int64_t epochs;

  const aclgrad::data::Dataset* train = nullptr;  // whose accuracy is measured, too
  bool prefetch = false;
  std::optional<std::int64_t> checkpoint_every = std::nullopt;
  std::string made_with = {};  // what a run that goes on must agree about
  std::vector<std::pair<std::string, std::string>> settings = {};  // for the page
};

struct Classified {
  aclgrad::History history;   // metrics: % right of the test pictures, and of `train`
  aclgrad::RunRecord record;  // of the page
  std::string table;          // a line an epoch
  std::int64_t parameters = 0;
  aclgrad::report::Series accuracy;  // % right of the test pictures after each epoch
};

// Trains with options.dtype on all ranks, with a page and checkpoints in options.out; leaves there
// weights, the graph, pictures of what is taken for what, and of mistakes. The first rank's result
// counts.
Classified train_classifier(const Classification& it, const ProgramOptions& options,
                            const aclgrad::Communicator& communicator);

// Trains one network after the other; prints their tables of epochs and one of all, and draws
// options.out/learning.svg.
void compare_classifiers(const std::string& title, const std::vector<std::string>& names,
                         const ProgramOptions& options, const aclgrad::Communicator& communicator,
                         const std::function<Classified(const std::string& name)>& train);

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_CLASSIFIER_H_
