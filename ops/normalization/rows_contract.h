// SPDX-License-Identifier: Apache-2.0
// The shapes of what normalizes rows: the last dimensions of x, as many as gamma has.
#ifndef ACLGRAD_OPS_NORMALIZATION_ROWS_CONTRACT_H_
#define ACLGRAD_OPS_NORMALIZATION_ROWS_CONTRACT_H_

#include <stdexcept>

#include "ops/contract/describe.h"

namespace aclgrad::contract {

inline void arrange_weighted_rows(Arguments& a) {
  const Shape shape = a.shape("x");
  const size_t normalized = a.shape("gamma").size();
  if (shape.size() < normalized || count_of(shape) == 0) {
    throw std::invalid_argument("x must have at least the dimensions of a row, and elements");
  }
  const auto split = shape.end() - static_cast<ptrdiff_t>(normalized);
  Shape numbers(shape.begin(), split);
  numbers.resize(shape.size(), 1);
  a.reshape({"gx", "dy", "yOut", "dxOut", "dgxOut"}, shape);
  a.reshape({"mean", "rstd", "meanOut", "rstdOut"}, numbers);
  a.shape("gamma") = Shape(split, shape.end());
  a.reshape({"beta", "dbetaOut", "dgammaOut"}, a.shape("gamma"));
}

}  // namespace aclgrad::contract

#endif  // ACLGRAD_OPS_NORMALIZATION_ROWS_CONTRACT_H_
