// SPDX-License-Identifier: Apache-2.0
// Recurrent layers over whole sequences, in layers and directions, and their gradients.
//
// The products of the inputs with their weights are one product for all steps; only those of the
// states go step by step. Threads share the batch, each with all its steps, so that no step waits
// for another thread. Sequences are dense in time order and begin with the first step of the
// input, also those that are gone through backwards.
#pragma once

#include <optional>
#include <vector>

#include "ops/engine/staging.h"

namespace aclgrad::ops {

enum class Cell : uint8_t { kLstm, kGru };

struct LayerSizes {
  Cell cell;
  int64_t steps, batch, in, size;
  int64_t layers, directions;
  bool has_biases;
  aclDataType compute;  // FLOAT or DOUBLE

  int64_t gates() const { return (cell == Cell::kLstm ? 4 : 3) * size; }  // numbers of them
  int64_t rows() const { return steps * batch; }
  int64_t width() const { return directions * size; }  // of what a layer returns
  int64_t in_of(int64_t layer) const { return layer == 0 ? in : width(); }
  int64_t directed_layers() const { return layers * directions; }  // a layer in one direction
  size_t parameters() const { return has_biases ? 4 : 2; }         // of each of those
};

// What is kept of each step for the backward: a list each, with a tensor for each directed layer.
// The gates are those behind their functions; j is PyTorch's g. Of either cell h is the last. The C
// functions' lists have another order: layer_rules.cpp says where each lies.
struct LstmKept {
  enum : size_t { kI, kF, kJ, kO, kTanhC, kC, kH };
};
struct GruKept {
  enum : size_t { kR, kZ, kN, kHiddenN, kH };  // kHiddenN: the hidden side's part of n
};

// Arguments of a call. Of lists, the number of the first tensor.
struct LayerTensors {
  Elements input, output;  // time first
  size_t parameters;
  size_t h, c;                    // before the first step; c of an LSTM only, as everywhere
  size_t last_h, last_c;          // after the last
  std::vector<size_t> kept = {};  // by LstmKept or GruKept
};
Plan plan_layers(const Arguments& arguments, const LayerSizes& sizes, const LayerTensors& tensors);

struct LayerGradients {
  Elements input;
  std::optional<Elements> of_output;  // null gradients are 0
  std::optional<size_t> of_last_h, of_last_c;
  size_t parameters;
  size_t h, c;
  std::vector<size_t> kept;
  Elements of_input;  // results
  size_t of_h, of_c;
  size_t of_parameters;
};
Plan plan_layer_gradients(const Arguments& arguments, const LayerSizes& sizes,
                          const LayerGradients& tensors);

// A tensor with its first two dimensions exchanged.
Elements exchanged(const Arguments& arguments, size_t tensor);

}  // namespace aclgrad::ops
