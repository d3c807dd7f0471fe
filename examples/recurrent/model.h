// SPDX-License-Identifier: Apache-2.0
// A gated recurrent unit (Cho et al. 2014) whose last state a linear layer reads.
#ifndef ACLGRAD_EXAMPLES_RECURRENT_MODEL_H_
#define ACLGRAD_EXAMPLES_RECURRENT_MODEL_H_

#include <aclgrad/aclgrad.h>

namespace recurrent {

struct Adder : aclgrad::Module {
  explicit Adder(std::int64_t hidden = 64)
      : gru(child("gru"), 2, hidden, 1), out(child("out"), hidden, 1, {.seed = 2}) {}

  // A number [N, 1] of every sequence [N, T, 2].
  aclgrad::Value operator()(const aclgrad::Value& x) const {
    const aclgrad::Value states = gru(x);
    const std::int64_t last = x.shape()[1] - 1;
    return out(reshape(slice(states, 1, last, last + 1), {x.shape()[0], states.shape()[2]}));
  }

  aclgrad::Gru gru;
  aclgrad::Linear out;
};

}  // namespace recurrent

#endif  // ACLGRAD_EXAMPLES_RECURRENT_MODEL_H_
