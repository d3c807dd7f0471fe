// SPDX-License-Identifier: Apache-2.0
// aclnnGatherNd.
#include "aclnnop/aclnn_gather_nd.h"

#include <fmt/format.h>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::gather_nd {
namespace {

enum : size_t { kSelf, kIndices, kNegativeIndexSupport, kOut };

// How many of self's dimensions, the first ones, are numbered.
size_t numbered(const Arguments& arguments) {
  const Dims& indices = arguments.shape(kIndices);
  return static_cast<size_t>(indices[indices.size() - 1]);
}

Rule numbers_dimensions_of_self() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& indices = arguments.shape(kIndices);
    const Dims& self = arguments.shape(kSelf);
    if (indices.empty()) return "tensor indices must have at least one dimension, but has none.";
    if (numbered(arguments) <= self.size()) return std::nullopt;
    return fmt::format(
        "the last dimension of tensor indices {} must be at most {}, as tensor self "
        "{} has that many dimensions.",
        to_string(indices), self.size(), to_string(self));
  });
}

// Those of indices but its last one, then those of self that are not numbered.
Dims shape_of_out(const Arguments& arguments) {
  const Dims& indices = arguments.shape(kIndices);
  const Dims& self = arguments.shape(kSelf);
  Dims shape(indices.data(), indices.size() - 1);
  for (size_t d = numbered(arguments); d < self.size(); ++d) shape.push_back(self[d]);
  return shape;
}

const OperatorSpec kSpec{
    "aclnnGatherNd",
    {input("self"), input("indices"), attribute("negativeIndexSupport"), output("out")},
    Rules{not_null({kSelf, kIndices, kOut}), dtype_in(kSelf, kAllDtypes),
          dtype_in(kIndices, kIndexDtypes), same_dtype(kOut, kSelf),
          max_rank({kSelf, kIndices, kOut}), numbers_dimensions_of_self(),
          has_shape_of(kOut, shape_of_out), has_elements_to_index(kSelf, kOut)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Dims& self = arguments.shape(kSelf);
  const size_t count = numbered(arguments);
  const size_t positions = arguments.shape(kIndices).size() - 1;
  return plan_taken(coordinate_places(arguments, kIndices, Dims(self.data(), count),
                                      arguments.flag(kNegativeIndexSupport)),
                    Slices(arguments, kSelf, dimensions(count, self.size() - count)),
                    Slices(arguments, kOut, dimensions(positions, self.size() - count)));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnGatherNd, kSpec, plan)

}  // namespace aclgrad::ops::gather_nd
