// SPDX-License-Identifier: Apache-2.0
// One call of a library's function, and how far its results are off.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "gradcheck/tool/catalogue.h"

namespace aclgrad::gradcheck {

struct How {
  Layout layout = Layout::contiguous;
  int threads = 0;
  std::int64_t shift = 0;  // elements between an aligned address and a contiguous tensor
  bool replayed = false;
};

struct Outcome {
  std::string failure;  // empty when the call returned well
  Arrays results = {};  // as written
};

/// With `one_shape` all tensors have the first input's, not those of the arguments.
Outcome call(Library& library, const BoundCall& bound, DType dtype, const Arrays& inputs,
             const How& how, bool one_shape);

/// Why phase one takes no tensors of a dtype and layout; "" where it takes them.
std::string refusal_of(Library& library, const BoundCall& bound, DType dtype, Layout layout);

/// The tensors of a call in FLOAT, or the first dtype that there is, in memory that it puts at the
/// end: of zeros, or of whole numbers that a task takes, where 0 is none of them.
std::vector<View> tensors_near_0(const contract::Arguments& arguments, std::deque<Guarded>& memory);

/// How far a value is off, in units of the last place or, for integers, in ones.
double distance(Number actual, Number right, Number scale, DType dtype);

/// A command that does one of the tool's checks again.
std::string command_of(const Target& target, DType dtype, const char* checks);

}  // namespace aclgrad::gradcheck
