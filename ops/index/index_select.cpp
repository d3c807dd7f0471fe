// SPDX-License-Identifier: Apache-2.0
// aclnnIndexSelect, aclnnGatherV2, aclnnGather.
#include "aclnnop/aclnn_index_select.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/gather_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops {
namespace {

enum : size_t { kSelf, kDim, kIndex, kOut };

const StaticList<Parameter> kParameters{input("self"), attribute("dim"), input("index"),
                                        output("out")};

constexpr DtypeSet kIndexDtypes{ACL_INT32, ACL_INT64};

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

// A self without dimensions has one element, for one index.
Rule one_index_for_a_scalar() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.shape(kSelf).empty() || arguments.empty(kIndex)) return std::nullopt;
    if (count_elements(arguments.shape(kIndex)) == 1) return std::nullopt;
    return fmt::format("tensor {} must have one element for {} [], but is {}.",
                       arguments.name(kIndex), arguments.name(kSelf),
                       to_string(arguments.shape(kIndex)));
  });
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
     no_private_format(kOut), one_index_for_a_scalar(), max_rank(kSelf), axis_of(kDim, kSelf),
     max_rank(kIndex, 1), has_elements_along(kSelf, kDim, kIndex), fits_selection()}};

constexpr DtypeSet kGatherV2DtypesOf950{
    ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8,   ACL_INT16,     ACL_INT32,     ACL_INT64,
    ACL_UINT8, ACL_BOOL,    ACL_BF16,   ACL_UINT16, ACL_COMPLEX64, ACL_COMPLEX128};

const OperatorSpec kGatherV2{
    "aclnnGatherV2",
    kParameters,
    {not_null({kSelf, kIndex, kOut}), same_dtype(kOut, kSelf),
     dtype_in(kSelf, kNumbersAndBool, kGatherV2DtypesOf950), dtype_in(kIndex, kIndexDtypes),
     max_rank(kSelf), max_rank(kIndex), max_rank(kOut), axis_of(kDim, kSelf),
     one_index_for_a_scalar(), has_elements_along(kSelf, kDim, kIndex), fits_selection()}};

// ---- One index for each element -----------------------------------------------------------------

Rule has_rank_of_self() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = std::max<size_t>(arguments.shape(kIndex).size(), 1);
    const size_t expected = std::max<size_t>(arguments.shape(kSelf).size(), 1);
    if (rank == expected) return std::nullopt;
    return fmt::format("tensor {} must have as many dimensions as {}, {}, but has {}.",
                       arguments.name(kIndex), arguments.name(kSelf), expected, rank);
  });
}

Rule is_not_larger() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& index = arguments.shape(kIndex);
    const Dims& self = arguments.shape(kSelf);
    for (size_t d = 0; d < index.size() && d < self.size(); ++d) {
      if (d == axis(arguments) || index[d] <= self[d]) continue;
      return fmt::format("tensor {} {} must not be larger than {} {} in dimension {}.",
                         arguments.name(kIndex), to_string(index), arguments.name(kSelf),
                         to_string(self), d);
    }
    return std::nullopt;
  });
}

const OperatorSpec kGather{
    "aclnnGather",
    kParameters,
    {not_null({kSelf, kIndex, kOut}), dtype_in(kSelf, kAllReal), same_dtype(kOut, kSelf),
     when([](const Arguments& arguments) { return !arguments.empty(kIndex); },
          dtype_in(kIndex, kIndexDtypes)),
     has_rank_of_self(), max_rank(kSelf), same_shape(kOut, kIndex), axis_of(kDim, kSelf),
     is_not_larger(), has_elements_along(kSelf, kDim, kIndex)}};

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
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnIndexSelect, kIndexSelect, plan_select)
ACLGRAD_OPERATOR(aclnnGatherV2, kGatherV2, plan_select)
ACLGRAD_OPERATOR(aclnnGather, kGather, plan_gather)
