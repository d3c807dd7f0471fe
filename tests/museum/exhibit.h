// SPDX-License-Identifier: Apache-2.0
// An exhibit of the museum with its arrays, for the tests and the score: what is in memory, and how
// it is called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/museum/wrong_gradients.h"

namespace aclgrad::museum {

using Numbers = std::vector<double>;  // of whole numbers, their bytes

inline std::string fact(int number, const char* name) {
  const char* const text = wgFact(number, name);
  return text == nullptr ? "" : text;
}
inline bool is_control(int number) { return number >= wgExhibits(); }

std::vector<wgAttribute> attributes_of(int number);
Numbers usual_attributes(int number);
Numbers showing_attributes(int number);
/// Each at random within its range, mostly small.
Numbers random_attributes(int number, std::uint64_t seed);

std::size_t count_of(const wgArray& array);

/// Under some attributes. Functions that take no inputs use those that are here.
struct Exhibit {
  Exhibit(int which, Numbers values);

  bool has_gradient(std::size_t input) const {
    return (inputs[input].flags & (WG_INTEGER | WG_NO_GRADIENT)) == 0;
  }
  bool has_upstream(std::size_t output) const {
    return (outputs[output].flags & WG_NO_GRADIENT) == 0;
  }

  /// Inputs and upstream gradients as a plain test has them, normal ones, or as they show the
  /// mistake.
  void draw(std::uint64_t seed);
  void draw_upstream(std::uint64_t seed);
  void show(std::uint64_t seed);

  std::vector<Numbers> forward() const { return forward(in); }
  std::vector<Numbers> forward(const std::vector<Numbers>& inputs) const;

  /// The gradients, empty for inputs without one, when their memory holds `before` (empty: NaN, or
  /// 0 where they are added). `how` is a set of WG_SHOW_...: what is done besides. Throws
  /// std::runtime_error where something is written outside an array. Under WG_SHOW_UPSTREAM the
  /// last of the results is the upstream gradient as it is left.
  std::vector<Numbers> backward(bool is_right, int how = 0,
                                const std::vector<Numbers>& before = {});

  int number;
  Numbers attributes;
  std::vector<wgArray> inputs;
  std::vector<wgArray> outputs;
  std::vector<Numbers> in;
  std::vector<Numbers> up;  // empty for an output without a gradient
};

}  // namespace aclgrad::museum
