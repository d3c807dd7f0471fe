// SPDX-License-Identifier: Apache-2.0
// What the layers' forwards and backwards have in common: their parameters, and the checks of them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ops/meta/rules.h"
#include "ops/recurrent/layers.h"

namespace aclgrad::ops {

using ParameterList = StaticList<Parameter>;

// The numbers of parameters with these names, of those that there are.
std::vector<size_t> numbers_of(const ParameterList& all, const std::vector<const char*>& names);

// None of these may be null.
Rule all_given(const ParameterList& all, const std::vector<const char*>& names);

// Parameters by their numbers, found by the names that the functions have in common. Lists are
// named by themselves, not by their tensors.
struct LayerParameters {
  LayerParameters(Cell cell, const ParameterList& all);

  Cell cell;
  size_t input, params, hx, batch_sizes;
  size_t has_biases, layers, bidirectional, batch_first;
  std::optional<size_t> dropout, train;  // of the forward; the backward does not look at its own
  // States after the last step, and gradients of those and of the first, each h and c of an LSTM:
  // [layers directions, B, H].
  std::vector<size_t> states;
  std::vector<size_t> sequences;  // outputs and gradients of them: [T, B, directions H]
  std::vector<size_t> of_input;   // of the input's shape
  std::vector<size_t> of_params;  // lists as params
  std::vector<size_t> kept;       // lists with [T, B, H] of each layer and direction
};

// Whether the lists of what is kept are there to be read or written.
bool keeps(const Arguments& arguments, const LayerParameters& p);

// All checks, first those of null pointers that are given.
Rules layer_rules(const Rules& nulls, const LayerParameters& p);

// Of a checked call.
Plan plan_forward(const Arguments& arguments, const LayerParameters& p);
Plan plan_backward(const Arguments& arguments, const LayerParameters& p);

}  // namespace aclgrad::ops
