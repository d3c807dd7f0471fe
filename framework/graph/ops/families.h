// SPDX-License-Identifier: Apache-2.0
// Recording of operators that check nothing of their own.
#ifndef ACLGRAD_FRAMEWORK_GRAPH_OPS_FAMILIES_H_
#define ACLGRAD_FRAMEWORK_GRAPH_OPS_FAMILIES_H_

#include "aclgrad/record.h"

namespace aclgrad::detail {

/// A function of a floating x, of its shape and dtype.
template <class OpType>
Value record_unary(const Value& x, std::source_location where,
                   typename OpType::Attributes attributes = {}) {
  Recorder record(OpType::declaration().name, {x}, where);
  record.require_floating(0);
  return record.add<OpType>(std::move(attributes), record.like(0));
}

/// A backward operator, of the gradient and the forward's input or result, all of one shape and
/// floating dtype.
template <class OpType>
Value record_gradient(const Value& grad, const Value& saved, std::source_location where,
                      typename OpType::Attributes attributes = {}) {
  Recorder record(OpType::declaration().name, {grad, saved}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  return record.add<OpType>(std::move(attributes), record.like(1));
}

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_GRAPH_OPS_FAMILIES_H_
