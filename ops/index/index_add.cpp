// SPDX-License-Identifier: Apache-2.0
// aclnnIndexAdd, aclnnScatterAdd.
#include "aclnnop/aclnn_index_add.h"

#include "aclnnop/aclnn_scatter_add.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops {
namespace {

// ---- A whole slice for each number --------------------------------------------------------------

namespace index_add {

enum : size_t { kSelf, kDim, kIndex, kSource, kAlpha, kOut };

Dims source_shape(const Arguments& arguments) {
  Dims shape = arguments.shape(kSelf);
  if (shape.empty()) return shape;
  const Dims& index = arguments.shape(kIndex);
  shape[normalize_axis(arguments.integer(kDim), shape.size())] = index.empty() ? 1 : index[0];
  return shape;
}

const OperatorSpec kSpec{
    "aclnnIndexAdd",
    {input("self"), attribute("dim"), input("index"), input("source"), attribute("alpha"),
     output("out")},
    {not_null({kSelf, kIndex, kSource, kAlpha, kOut}), dtype_in(kSelf, kRealNumbersAndBool),
     dtype_in(kIndex, kIndexDtypes), same_dtype(kSource, kSelf), scalar_castable_to_float(kAlpha),
     same_dtype(kOut, kSelf), max_rank(kSelf), max_rank(kIndex, 1),
     one_index_for_a_scalar(kIndex, kSelf), axis_of(kDim, kSelf),
     has_elements_along(kSelf, kDim, kIndex), has_shape_of(kSource, source_shape, given({kDim})),
     same_shape(kOut, kSelf)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Dims& self = arguments.shape(kSelf);
  const size_t along = normalize_axis(arguments.integer(kDim), self.size());
  DimSet inside = dimensions(0, self.size());
  inside[along] = false;
  const KernelScalar alpha = KernelScalar::of(arguments.scalar(kAlpha), arguments.dtype(kSelf));
  const IndexTerm number(arguments, kIndex, Elements(arguments, kIndex),
                         self.empty() ? 1 : self[along], 1);
  return plan_placed_sum(index_places(arguments.shape(kIndex), {number}),
                         {.terms = Slices(arguments, kSource, inside),
                          .self = Slices(arguments, kSelf, inside),
                          .out = Slices(arguments, kOut, inside),
                          .factor = alpha.real,
                          .integer_factor = alpha.integer});
}

}  // namespace index_add

// ---- A number for each element ------------------------------------------------------------------

namespace scatter_add {

enum : size_t { kSelf, kDim, kIndex, kSrc, kOut };

const OperatorSpec kSpec{
    "aclnnScatterAdd",
    {input("self"), attribute("dim"), input("index"), input("src"), output("out")},
    {not_null({kSelf, kIndex, kSrc, kOut}), dtype_in(kSelf, kRealNumbersAndBool),
     dtype_in(kIndex, kIndexDtypes), same_dtype(kSrc, kSelf), same_dtype(kOut, kSelf),
     max_rank(kSelf), index_has_rank_of(kIndex, kSelf), index_has_rank_of(kSrc, kSelf),
     axis_of(kDim, kSelf), index_is_within(kIndex, kSrc), index_is_within(kIndex, kSelf, kDim),
     has_elements_along(kSelf, kDim, kIndex), same_shape(kOut, kSelf)}};

// Strides in row-major order; of a tensor without dimensions, as of one.
Dims steps_of(const Dims& shape, size_t count) {
  Dims steps = Dims::filled(count, 0);
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0; step *= shape[d]) {
    if (d < count) steps[d] = step;
  }
  return steps;
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Dims& self = arguments.shape(kSelf);
  const Dims& index = arguments.shape(kIndex);
  const size_t along = normalize_axis(arguments.integer(kDim), self.size());
  Dims steps = steps_of(self, index.size());
  const int64_t step = along < steps.size() ? std::exchange(steps[along], 0) : 0;
  const IndexTerm number(arguments, kIndex, Elements(arguments, kIndex),
                         self.empty() ? 1 : self[along], step);
  // Of src only what the index has a number for.
  Dims strides = arguments.strides(kSrc);
  if (strides.size() != index.size()) strides = Dims::filled(index.size(), 0);
  return plan_placed_sum(index_places(index, {number}, steps),
                         {.terms = slices_of(arguments, kSrc, index, strides, {}),
                          .self = Slices(arguments, kSelf, {}),
                          .out = Slices(arguments, kOut, {})});
}

}  // namespace scatter_add
}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnIndexAdd, index_add::kSpec, index_add::plan)
ACLGRAD_OPERATOR(aclnnScatterAdd, scatter_add::kSpec, scatter_add::plan)
