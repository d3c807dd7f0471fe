// SPDX-License-Identifier: Apache-2.0
// aclnnIndexSelect, aclnnGatherV2, aclnnGather.
#include "aclnnop/aclnn_index_select.h"

#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/gather_kernel.h"
#include "ops/index/index_rules.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::index_select {
namespace {

enum : size_t { kSelf, kDim, kIndex, kOut };

const StaticList<Parameter> kParameters{input("self"), attribute("dim"), input("index"),
                                        output("out")};

size_t axis(const Arguments& arguments) {
  return normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
}

bool selects_nothing(const Arguments& arguments) {
  return arguments.empty(kSelf) || arguments.empty(kIndex);
}

// ---- One index for a whole slice ----------------------------------------------------------------

// Self's shape with that of the index in the place of dim.
Dims selected_shape(const Arguments& arguments) {
  const Dims& self = arguments.shape(kSelf);
  if (self.empty()) return {};
  Dims shape(self.data(), axis(arguments));
  if (arguments.shape(kIndex).empty()) shape.push_back(1);
  for (const int64_t size : arguments.shape(kIndex)) shape.push_back(size);
  for (size_t d = axis(arguments) + 1; d < self.size(); ++d) shape.push_back(self[d]);
  return shape;
}

Rule fits_selection() {
  const Rule has_shape = has_shape_of(kOut, selected_shape, given({kDim}));
  return when([](const Arguments& arguments) { return !selects_nothing(arguments); }, has_shape);
}

Plan plan_select(const Arguments& arguments) {
  if (selects_nothing(arguments)) return {};
  const Dims& out = arguments.shape(kOut);
  const Dims& self = arguments.shape(kSelf);
  Selection selection{whole(arguments, kOut),
                      whole(arguments, kSelf),
                      whole(arguments, kIndex),
                      self.empty() ? 0 : arguments.strides(kSelf)[axis(arguments)],
                      self.empty() ? 1 : self[axis(arguments)],
                      /*counts_from_end=*/true};
  const Dims of_self = std::exchange(selection.self.strides, Dims::filled(out.size(), 0));
  const Dims of_index = std::exchange(selection.index.strides, Dims::filled(out.size(), 0));
  // Where the index's dimensions are in out, which all of self but dim surround.
  const size_t first = axis(arguments);
  const size_t width = out.size() + 1 - std::max<size_t>(self.size(), 1);
  for (size_t d = 0; d < of_index.size() && d < out.size(); ++d) {
    selection.index.strides[first + d] = of_index[d];
  }
  for (size_t d = 0; d < of_self.size(); ++d) {
    if (d != first) selection.self.strides[d < first ? d : d + width - 1] = of_self[d];
  }
  return plan_selection(arguments, kOut, selection);
}

const OperatorSpec kIndexSelect{
    "aclnnIndexSelect",
    kParameters,
    {not_null({kSelf, kIndex, kOut}), dtype_in(kSelf, kAllDtypes), dtype_in(kIndex, kIndexDtypes),
     same_dtype(kOut, kSelf), no_private_format(kSelf), no_private_format(kIndex),
     no_private_format(kOut), one_index_for_a_scalar(kIndex, kSelf), max_rank(kSelf),
     axis_of(kDim, kSelf), max_rank(kIndex, 1), has_elements_along(kSelf, kDim, kIndex),
     fits_selection()}};

constexpr DtypeSet kGatherV2DtypesOf950{
    ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8,   ACL_INT16,     ACL_INT32,     ACL_INT64,
    ACL_UINT8, ACL_BOOL,    ACL_BF16,   ACL_UINT16, ACL_COMPLEX64, ACL_COMPLEX128};

const OperatorSpec kGatherV2{"aclnnGatherV2", kParameters,
                             Rules{not_null({kSelf, kIndex, kOut}), same_dtype(kOut, kSelf),
                                   dtype_in(kSelf, kNumbersAndBool, kGatherV2DtypesOf950),
                                   dtype_in(kIndex, kIndexDtypes), max_rank({kSelf, kIndex, kOut}),
                                   axis_of(kDim, kSelf), one_index_for_a_scalar(kIndex, kSelf),
                                   has_elements_along(kSelf, kDim, kIndex), fits_selection()}};

// ---- One index for each element -----------------------------------------------------------------

const OperatorSpec kGather{
    "aclnnGather",
    kParameters,
    {not_null({kSelf, kIndex, kOut}), dtype_in(kSelf, kAllReal), same_dtype(kOut, kSelf),
     when([](const Arguments& arguments) { return !arguments.empty(kIndex); },
          dtype_in(kIndex, kIndexDtypes)),
     index_has_rank_of(kIndex, kSelf), max_rank(kSelf), same_shape(kOut, kIndex),
     axis_of(kDim, kSelf), index_is_within(kIndex, kSelf, kDim),
     has_elements_along(kSelf, kDim, kIndex)}};

Plan plan_gather(const Arguments& arguments) {
  if (arguments.empty(kIndex)) return {};
  const Dims& self = arguments.shape(kSelf);
  const Dims& out = arguments.shape(kOut);
  const size_t along = axis(arguments);
  Selection selection{
      whole(arguments, kOut),         whole(arguments, kSelf),
      whole(arguments, kIndex),       self.empty() ? 0 : arguments.strides(kSelf)[along],
      self.empty() ? 1 : self[along],
      /*counts_from_end=*/true};
  // Either may be a scalar that stands for one dimension of size 1.
  if (self.empty() || out.empty()) selection.self.strides = Dims::filled(out.size(), 0);
  if (along < out.size()) selection.self.strides[along] = 0;
  return plan_selection(arguments, kOut, selection);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnIndexSelect, kIndexSelect, plan_select)
ACLGRAD_OPERATOR(aclnnGatherV2, kGatherV2, plan_select)
ACLGRAD_OPERATOR(aclnnGather, kGather, plan_gather)

}  // namespace aclgrad::ops::index_select
