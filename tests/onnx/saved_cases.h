// SPDX-License-Identifier: Apache-2.0
// Networks that are saved, read back and run elsewhere: one for each kind of node, and those of the
// examples.
#pragma once

#include <string>
#include <vector>

#include "aclgrad/aclgrad.h"
#include "aclgrad/onnx/save.h"

namespace aclgrad {

struct SavedCase {
  std::string name;
  onnx::Record record;
  std::vector<onnx::Example> examples;
  /// How far what is read back, or another runtime, may be off, relative to the largest result and
  /// at least this much: 1e-5 of float32 where it is not said.
  double tolerance = 1e-5;
  std::int64_t numbers_below = 5;  ///< of inputs of integers
};

const std::vector<SavedCase>& saved_nodes();      // of saved_nodes.cpp
const std::vector<SavedCase>& saved_functions();  // of saved_functions.cpp
const std::vector<SavedCase>& saved_algebra();    // of saved_algebra.cpp
const std::vector<SavedCase>& saved_networks();

/// All of them.
std::vector<SavedCase> all_saved_cases();

/// Inputs of a case for a batch: normal numbers, and small integers.
std::vector<Tensor> inputs_of(const SavedCase& of, std::int64_t batch);

/// What the network gives for these.
std::vector<Tensor> run(const onnx::Record& record, const std::vector<Tensor>& inputs);

}  // namespace aclgrad
