// SPDX-License-Identifier: Apache-2.0
// aclnnIndexAdd, aclnnIndexCopy, aclnnIndexFill, aclnnIndexFillTensor, in place, too: slices along
// one dimension by their numbers.
#include "aclnnop/aclnn_index_add.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::index_add {
namespace {
namespace along_dim {

// In all of them.
enum : size_t { kSelf, kDim, kIndex, kSource };
enum : size_t { kAlpha = 4, kSumOut };
enum : size_t { kCopyOut = 4 };
enum : size_t { kValue = 3, kFillOut };

size_t axis(const Arguments& arguments) {
  return normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
}

int64_t index_count(const Arguments& arguments) { return count_elements(arguments.shape(kIndex)); }

Dims source_shape(const Arguments& arguments) {
  Dims shape = arguments.shape(kSelf);
  if (!shape.empty()) shape[axis(arguments)] = index_count(arguments);
  return shape;
}

std::vector<Rule> shape_rules() {
  return {max_rank(kSelf), max_rank(kIndex, 1), one_index_for_a_scalar(kIndex, kSelf),
          axis_of(kDim, kSelf), has_elements_along(kSelf, kDim, kIndex)};
}

std::vector<Rule> joined(std::initializer_list<std::vector<Rule>> lists) {
  std::vector<Rule> all;
  for (const std::vector<Rule>& each : lists) all.insert(all.end(), each.begin(), each.end());
  return all;
}

const OperatorSpec kAdd{
    "aclnnIndexAdd",
    {input("self"), attribute("dim"), input("index"), input("source"), attribute("alpha"),
     output("out")},
    joined(
        {{not_null({kSelf, kIndex, kSource, kAlpha, kSumOut}), dtype_in(kSelf, kRealNumbersAndBool),
          dtype_in(kIndex, kIndexDtypes), same_dtype(kSource, kSelf),
          scalar_castable_to_float(kAlpha), same_dtype(kSumOut, kSelf)},
         shape_rules(),
         {has_shape_of(kSource, source_shape, given({kDim})), same_shape(kSumOut, kSelf)}})};

const OperatorSpec kCopy{
    "aclnnIndexCopy",
    {input("self"), attribute("dim"), input("index"), input("source"), output("out")},
    joined(
        {{not_null({kSelf, kIndex, kSource, kCopyOut}), dtype_in(kSelf, kAllDtypes),
          dtype_in(kIndex, kIndexDtypes), same_dtype(kSource, kSelf), same_dtype(kCopyOut, kSelf)},
         shape_rules(),
         {has_shape_of(kSource, source_shape, given({kDim})), same_shape(kCopyOut, kSelf)}})};

const OperatorSpec kInplaceCopy{
    "aclnnInplaceIndexCopy",
    {in_out("selfRef"), attribute("dim"), input("index"), input("source")},
    joined({{not_null({kSelf, kIndex, kSource}), dtype_in(kSelf, kAllDtypes),
             dtype_in(kIndex, kIndexDtypes), same_dtype(kSource, kSelf)},
            shape_rules(),
            {has_shape_of(kSource, source_shape, given({kDim}))}})};

// The numbers are an array of the host.
Rule names_slices() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& self = arguments.shape(kSelf);
    const int64_t size = self.empty() ? 1 : self[axis(arguments)];
    for (const int64_t number : arguments.int_array(kIndex)) {
      if (number >= -size && number < size) continue;
      return fmt::format("{} must have numbers in [{}, {}], but has {}.", arguments.name(kIndex),
                         -size, size - 1, number);
    }
    return std::nullopt;
  });
}

// Where index is a tensor, or an array; in place, out is self.
OperatorSpec fill_spec(const char* name, bool by_tensor, size_t out) {
  const bool in_place = out == kSelf;
  std::vector<Parameter> parameters{in_place ? in_out("selfRef") : input("self"), attribute("dim"),
                                    by_tensor ? input("index") : attribute("index"),
                                    attribute("value")};
  Rules rules{not_null({kSelf, kIndex, kValue, out}), dtype_in(kSelf, kAllDtypes)};
  const auto add = [&](const Rules& more) { rules.insert(rules.end(), more.begin(), more.end()); };
  if (by_tensor) add(dtype_in(kIndex, kIndexDtypes));
  add(real_beside_real(kValue, kSelf));
  if (!in_place) {
    parameters.push_back(output("out"));
    add(same_dtype(out, kSelf));
  }
  add(by_tensor ? Rules(shape_rules())
                : Rules{max_rank(kSelf), axis_of(kDim, kSelf), names_slices()});
  if (!in_place) add(same_shape(out, kSelf));
  return {name, parameters, rules};
}

const OperatorSpec kFill = fill_spec("aclnnIndexFill", true, kFillOut);
const OperatorSpec kInplaceFill = fill_spec("aclnnInplaceIndexFill", true, kSelf);
const OperatorSpec kFillByArray = fill_spec("aclnnIndexFillTensor", false, kFillOut);
const OperatorSpec kInplaceFillByArray = fill_spec("aclnnInplaceIndexFillTensor", false, kSelf);

// Slices of a tensor of self's rank, by their numbers.
Slices slices(const Arguments& arguments, size_t tensor) {
  DimSet inside = dimensions(0, arguments.shape(kSelf).size());
  inside[axis(arguments)] = false;
  return Slices(arguments, tensor, inside);
}

Places places(const Arguments& arguments) {
  const Dims& self = arguments.shape(kSelf);
  const IndexTerm number(arguments, kIndex, Elements(arguments, kIndex),
                         self.empty() ? 1 : self[axis(arguments)], 1);
  return index_places(arguments.shape(kIndex), {number});
}

Plan plan_add(const Arguments& arguments) {
  if (arguments.empty(kSumOut)) return {};
  const KernelScalar alpha = KernelScalar::of(arguments.scalar(kAlpha), arguments.dtype(kSelf));
  return plan_placed_sum(places(arguments), {.terms = slices(arguments, kSource),
                                             .self = slices(arguments, kSelf),
                                             .out = slices(arguments, kSumOut),
                                             .factor = alpha.real,
                                             .integer_factor = alpha.integer});
}

Plan plan_copy(const Arguments& arguments) {
  if (arguments.empty(kCopyOut)) return {};
  return plan_put(places(arguments), slices(arguments, kSource), slices(arguments, kCopyOut),
                  slices(arguments, kSelf));
}

Plan plan_copy_in_place(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  return plan_put(places(arguments), slices(arguments, kSource), slices(arguments, kSelf));
}

Places places_in_array(const Arguments& arguments) {
  const Dims& self = arguments.shape(kSelf);
  const int64_t size = self.empty() ? 1 : self[axis(arguments)];
  std::vector<int64_t> slices = arguments.int_array(kIndex);
  for (int64_t& slice : slices) slice += slice < 0 ? size : 0;
  return {static_cast<int64_t>(slices.size()), [slices](const Run&, int64_t* places, int64_t*) {
            std::copy(slices.begin(), slices.end(), places);
          }};
}

Plan plan_fill(const Arguments& arguments, size_t out) {
  if (arguments.empty(kSelf)) return {};
  Dims shape = arguments.shape(kSelf);
  if (!shape.empty()) shape[axis(arguments)] = 1;
  Places filled =
      arguments[kIndex].tensor() != nullptr ? places(arguments) : places_in_array(arguments);
  const ScalarSlices value(arguments, kValue, arguments.dtype(kSelf), {filled.count}, shape);
  return value.fill_in(
      plan_put(std::move(filled), value.slices, slices(arguments, out),
               out == kSelf ? std::nullopt : std::optional(slices(arguments, kSelf))));
}

template <size_t kOut>
constexpr auto kPlanFill = [](const Arguments& arguments) { return plan_fill(arguments, kOut); };

}  // namespace along_dim
}  // namespace

ACLGRAD_OPERATOR(aclnnIndexAdd, along_dim::kAdd, along_dim::plan_add)
ACLGRAD_OPERATOR(aclnnIndexCopy, along_dim::kCopy, along_dim::plan_copy)
ACLGRAD_OPERATOR(aclnnInplaceIndexCopy, along_dim::kInplaceCopy, along_dim::plan_copy_in_place)
ACLGRAD_OPERATOR(aclnnIndexFill, along_dim::kFill, along_dim::kPlanFill<along_dim::kFillOut>)
ACLGRAD_OPERATOR(aclnnInplaceIndexFill, along_dim::kInplaceFill,
                 along_dim::kPlanFill<along_dim::kSelf>)
ACLGRAD_OPERATOR(aclnnIndexFillTensor, along_dim::kFillByArray,
                 along_dim::kPlanFill<along_dim::kFillOut>)
ACLGRAD_OPERATOR(aclnnInplaceIndexFillTensor, along_dim::kInplaceFillByArray,
                 along_dim::kPlanFill<along_dim::kSelf>)

}  // namespace aclgrad::ops::index_add
