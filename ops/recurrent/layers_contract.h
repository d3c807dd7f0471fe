// SPDX-License-Identifier: Apache-2.0
// Calls of recurrent layers, and what they must give.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "ops/contract/describe.h"
#include "ops/recurrent/cell_contract.h"

namespace aclgrad::contract {

inline std::string member_of(const std::string& list, size_t place) {
  return list + "[" + std::to_string(place) + "]";
}

struct RecurrentKind {
  size_t gates;
  std::vector<std::string> kept;  // in the order of the header
};
using ScaledArray = std::vector<Scaled>;

class RecurrentCall {
 public:
  RecurrentCall(const Arguments& a, const RecurrentKind& kind) : kind_(kind) {
    const Shape& input = a.shape("input");
    packed_ = std::ranges::any_of(a.parameters(), [](const Parameter& parameter) {
      return parameter.name == "batchSizesOptional" && !parameter.tensor()->optional;
    });
    if (input.size() != (packed_ ? 2 : 3) || count_of(input) == 0) {
      throw std::invalid_argument("sequences have rank 3, and elements");
    }
    batch_first_ = !packed_ && a.number("batchFirst") != 0;
    steps = static_cast<size_t>(packed_ ? a.shape("batchSizesOptional")[0]
                                        : input[batch_first_ ? 1 : 0]);
    batch = static_cast<size_t>(packed_ ? input[0] : input[batch_first_ ? 0 : 1]);
    if (packed_) batch /= steps;
    in = static_cast<size_t>(input.back());
    size = static_cast<size_t>(a.shape("params[0]")[0]) / kind.gates;
    layers = static_cast<size_t>(a.number("numLayers"));
    directions = a.number("bidirectional") != 0 ? 2 : 1;
    each = a.number("hasBiases") != 0 ? 4 : 2;
  }

  bool is_packed() const { return packed_; }
  size_t directed_layers() const { return layers * directions; }
  size_t in_of(size_t layer) const { return layer == 0 ? in : directions * size; }
  size_t gates() const { return kind_.gates * size; }

  Shape sequence(size_t columns) const {
    if (packed_) return shape_of({steps * batch, columns});
    return batch_first_ ? shape_of({batch, steps, columns}) : shape_of({steps, batch, columns});
  }
  Shape state() const { return shape_of({directed_layers(), batch, size}); }
  Shape kept() const { return shape_of({steps, batch, size}); }
  Shape parameter(size_t place) const {
    if (place % each > 1) return shape_of({gates()});
    return shape_of({gates(), place % each == 1 ? size : in_of(place / each / directions)});
  }

  // Time first, and back.
  ScaledArray read(const Array& sequence, size_t columns) const {
    ScaledArray to(steps * batch * columns);
    for_sequence(columns,
                 [&](size_t own, size_t there) { to[own] = exactly(sequence.values[there]); });
    return to;
  }
  template <bool kMagnitude>
  Array written(const ScaledArray& from, size_t columns) const {
    Array to{sequence(columns), std::vector<Number>(from.size())};
    for_sequence(columns, [&](size_t own, size_t there) {
      to.values[there] = from[own].template of<kMagnitude>();
    });
    return to;
  }

  size_t time(size_t direction, size_t number) const {
    return direction == 0 ? number : steps - 1 - number;
  }

  size_t steps, batch, in, size, layers, directions, each;

 private:
  static Shape shape_of(std::initializer_list<size_t> sizes) {
    Shape shape;
    for (const size_t size : sizes) shape.push_back(static_cast<int64_t>(size));
    return shape;
  }
  template <class Visit>
  void for_sequence(size_t columns, const Visit& visit) const {
    for (size_t t = 0; t < steps; ++t) {
      for (size_t b = 0; b < batch; ++b) {
        for (size_t j = 0; j < columns; ++j) {
          const size_t row = batch_first_ ? b * steps + t : t * batch + b;
          visit((t * batch + b) * columns + j, row * columns + j);
        }
      }
    }
  }

  const RecurrentKind& kind_;
  bool packed_, batch_first_ = false;
};

// Output, hy, cy of an LSTM, and what is kept, list by list; of the scale of their errors if so
// wished.
Arrays recurrent_results(const RecurrentKind& kind, bool magnitude, const Arguments& a,
                         const Arrays& in);
// gradInput, gradHx, gradCx of an LSTM, gradParams.
Arrays recurrent_gradients(const RecurrentKind& kind, bool magnitude, const Arguments& a,
                           const Arrays& in);

}  // namespace aclgrad::contract
