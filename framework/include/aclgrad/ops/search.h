// SPDX-License-Identifier: Apache-2.0
// Which elements along an axis are the largest. Of equal elements the first counts, and a NaN as
// the largest. Axes may be negative, and are counted from the end then.
#ifndef ACLGRAD_OPS_SEARCH_H_
#define ACLGRAD_OPS_SEARCH_H_

#include <source_location>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// Elements, in x's dtype, and their places along the axis, in int64.
struct ValuesAndIndices {
  Value values;
  Value indices;
};

/// The place of the largest element along `dim`, in int64. There is no gradient.
Value argmax(const Value& x, std::int64_t dim = -1, bool keepdim = false,
             std::source_location where = std::source_location::current());

/// The largest element along `dim`, and its place. The gradient of a value goes to that element
/// alone; amax shares it among equal ones.
ValuesAndIndices max(const Value& x, std::int64_t dim, bool keepdim = false,
                     std::source_location where = std::source_location::current());

/// The k largest elements along `dim`, or smallest, in order. The gradient of a value goes to its
/// element.
ValuesAndIndices topk(const Value& x, std::int64_t k, std::int64_t dim = -1, bool largest = true,
                      std::source_location where = std::source_location::current());

struct SearchAttributes {
  std::int64_t dim;
  bool keepdim;
  auto arguments() const { return named({"dim", "keepdim"}, dim, keepdim); }
};
struct TopkAttributes {
  std::int64_t k;
  std::int64_t dim;
  bool largest;
  bool sorted;
  auto arguments() const {
    return named({"k", "dim", "largest", "sorted"}, k, dim, largest, sorted);
  }
};

namespace calls {
extern const Declaration<SearchAttributes> argmax;
extern const Declaration<SearchAttributes> max;  // outputs values, indices
extern const Declaration<TopkAttributes> topk;   // outputs values, indices
}  // namespace calls

using ArgmaxOp = DeclaredOp<calls::argmax>;
using MaxOp = DeclaredOp<calls::max>;
using TopkOp = DeclaredOp<calls::topk>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_SEARCH_H_
