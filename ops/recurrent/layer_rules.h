// SPDX-License-Identifier: Apache-2.0
// What the layers' forwards and backwards have in common: their parameters, and the checks of them.
#ifndef ACLGRAD_OPS_RECURRENT_LAYER_RULES_H_
#define ACLGRAD_OPS_RECURRENT_LAYER_RULES_H_

#include <functional>
#include <optional>
#include <vector>

#include "ops/meta/rules.h"
#include "ops/recurrent/layers.h"

namespace aclgrad::ops {

// Parameters by their numbers. Lists are named by themselves, not by their tensors.
struct LayerParameters {
  Cell cell;
  size_t input, params, hx, batch_sizes;
  size_t has_biases, layers, bidirectional, batch_first;
  std::optional<size_t> dropout, train;
  // States before the first step and after the last, and their gradients: [layers directions, B,
  // H]. A list has h and c.
  std::vector<size_t> states;
  std::vector<size_t> sequences;  // outputs and gradients of them: [T, B, directions H]
  std::vector<size_t> of_input;   // of the input's shape
  std::vector<size_t> of_params;  // lists as params
  std::vector<size_t> kept;       // lists with [T, B, H] of each layer and direction
};

// Whether the lists of what is kept are there to be read or written.
bool keeps(const Arguments& arguments, const LayerParameters& p);

LayerSizes sizes_of(const Arguments& arguments, const LayerParameters& p);

// All checks, first those of null pointers that are given.
std::vector<Rule> layer_rules(std::vector<Rule> nulls, const LayerParameters& p);

// A sequence's elements, time first.
Elements time_first(const Arguments& arguments, const LayerParameters& p, size_t sequence);

// The first tensors of lists.
std::vector<size_t> first_tensors(const Arguments& arguments, const std::vector<size_t>& lists);

// The plan behind a look at batchSizes, where they are given: sequences must be of one length.
Plan with_batch_sizes(const Arguments& arguments, const LayerParameters& p, Plan plan);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_RECURRENT_LAYER_RULES_H_
