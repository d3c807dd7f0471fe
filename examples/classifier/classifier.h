// SPDX-License-Identifier: Apache-2.0
// Trains networks that classify pictures, one for each activation, and compares them.
#pragma once

#include <aclgrad/aclgrad.h>

#include <functional>
#include <string>
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

// Completes the training of a network that tells pictures apart, square ones of one colour: adds
// the loss of its scores [n, classes]; how many are right of `test` and, where it is given, of
// `train`, both of which it refers to; and drawings of what is taken for what, and of mistakes.
Training classifier(Training it, const std::function<aclgrad::Value(const aclgrad::Value&)>& model,
                    const ProgramOptions& options, const aclgrad::data::Dataset& test,
                    const aclgrad::data::Dataset* train = nullptr);

// % right of the test pictures after each epoch.
aclgrad::report::Series accuracy_of(const std::string& name, const aclgrad::History& history);

// Trains a network for each activation; prints what each epoch brought and a table, and leaves
// accuracy.svg, loss.svg and report.html, which compare them, in program.out.
void compare_classifiers(const ClassifierOptions& options, const aclgrad::data::Split& pictures,
                         const std::function<Training(const std::string& activation)>& make);
