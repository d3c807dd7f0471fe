// SPDX-License-Identifier: Apache-2.0
// One computation for each value of a list, as clipping of gradients takes it: one node instead of
// one for each. All of them have gradients.
#ifndef ACLGRAD_OPS_FOREACH_H_
#define ACLGRAD_OPS_FOREACH_H_

#include <source_location>
#include <vector>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// norm(value, {}, {.p = p}) of each value: a scalar each. Throws ValueError for no values,
/// DTypeError unless they have one floating dtype.
std::vector<Value> foreach_norm(const std::vector<Value>& values, double p = 2,
                                std::source_location where = std::source_location::current());

/// Each value times the factor. Throws as foreach_norm.
std::vector<Value> foreach_mul(const std::vector<Value>& values, double factor,
                               std::source_location where = std::source_location::current());

/// The same by a factor that is known when the graph runs: a node `mul` for each value, with its
/// broadcasting and its common dtype.
std::vector<Value> foreach_mul(const std::vector<Value>& values, const Value& factor,
                               std::source_location where = std::source_location::current());

struct ForeachNormAttributes {
  double p;
  auto arguments() const { return named({"p"}, p); }
};
struct ForeachMulAttributes {
  double factor;
  auto arguments() const { return named({"factor"}, factor); }
};

namespace calls {
extern const Declaration<ForeachNormAttributes> foreach_norm;
extern const Declaration<ForeachMulAttributes> foreach_mul;
}  // namespace calls

using ForeachNormOp = DeclaredOp<calls::foreach_norm>;
using ForeachMulOp = DeclaredOp<calls::foreach_mul>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_FOREACH_H_
