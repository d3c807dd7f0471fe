// SPDX-License-Identifier: Apache-2.0
// A training problem as data: what the properties and the comparison with PyTorch train. Its text
// is JSON, which shrinks without knowing what it means, and which a Python script reads as well:
//
//   {"seed": 7, "steps": 5,
//    "input": {"shape": [3, 8, 8], "scale": 10},      or "tokens": 11: they are indices
//    "layers": [{"kind": "conv2d", "name": "l0", "out": 4, "kernel": [3, 2], "groups": 2}, ...],
//    "loss": {"kind": "cross_entropy", "classes": 5, "ignored": 0.2, "ignore_index": -100},
//    "optimizer": {"kind": "sgd", "learning_rate": 0.05, "momentum": 0.9, "groups": [...]},
//    "frozen": ["l0"], "batches": [7, 3, 1], "evaluation": {"examples": 11, "batch_size": 4}}
//
// Widths that follow from the shape before are not given, so any layer can be left out. An option
// that is not given has the default of the library.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aclgrad/aclgrad.h"

namespace aclgrad::training {

using Json = nlohmann::ordered_json;
using Spec = Json;

/// What a property cannot do with.
struct Wanted {
  /// Layers by which an example's result depends on the others of its batch: batch normalization.
  bool batch_statistics = true;
  /// Layers and losses whose derivative jumps, as that of relu and of the largest element.
  bool corners = true;
  /// Optimizers that divide a gradient by its size, or take its sign.
  bool normalized_steps = true;
  /// Losses that are a mean over the examples, each of the same weight.
  bool only_plain_means = false;
  /// Batches of few examples.
  bool small_batches = true;
  /// Features that are large, small or whole: maxima and corners that several elements share.
  bool unusual_numbers = true;
  /// Frozen layers.
  bool frozen = true;
};

/// A random problem: the same for the same arguments.
Spec generate(std::uint64_t seed, const Wanted& wanted = {});

/// The shape of an example, [rows] before it.
Shape with_rows(std::int64_t rows, const Json& extents);

/// The option as it stands, or the default of the library.
template <class T>
T option(const Json& of, const char* name, T otherwise) {
  const auto found = of.find(name);
  return found == of.end() ? otherwise : found->template get<T>();
}

}  // namespace aclgrad::training
