// SPDX-License-Identifier: Apache-2.0
// aclnnSlice, aclnnSliceV2.
#include "aclnnop/aclnn_slice.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_slice_v2.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::slice {
namespace {

// DOUBLE is not on the vendor's list.
constexpr DtypeSet kDtypes{
    {ACL_FLOAT, ACL_FLOAT16, ACL_INT64, ACL_INT8, ACL_INT32, ACL_UINT8, ACL_BOOL, ACL_DOUBLE},
    {ACL_BF16}};

enum : size_t { kSelf };

// The indices that a slice takes from a dimension.
struct Range {
  int64_t start;
  int64_t count;

  Range(int64_t size, int64_t from, int64_t to, int64_t step) {
    size = std::max<int64_t>(size, 0);
    start = limited(from, size);
    const int64_t length = std::max(limited(to, size), start) - start;
    count = length == 0 ? 0 : (length - 1) / step + 1;
  }

 private:
  static int64_t limited(int64_t at, int64_t size) {
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  }
};

// What is taken of each dimension that is named.
struct SliceSpec {
  int64_t axis;
  int64_t start;
  int64_t end;
  int64_t step;
};
using SliceSpecs = std::vector<SliceSpec> (*)(const Arguments& arguments);

template <SliceSpecs kSpecs>
Dims sliced_shape(const Arguments& arguments) {
  Dims shape = arguments.shape(kSelf);
  for (const SliceSpec& spec : kSpecs(arguments)) {
    int64_t& size = shape[normalize_axis(spec.axis, shape.size())];
    size = Range(size, spec.start, spec.end, spec.step).count;
  }
  return shape;
}

template <SliceSpecs kSpecs>
Rule steps_are_positive(size_t parameter) {
  return require([parameter](const Arguments& arguments) -> std::optional<std::string> {
    for (const SliceSpec& spec : kSpecs(arguments)) {
      if (spec.step <= 0) {
        return fmt::format("{} must be greater than 0, but is {}.", arguments.name(parameter),
                           spec.step);
      }
    }
    return std::nullopt;
  });
}

template <SliceSpecs kSpecs>
Plan plan_slice(const Arguments& arguments, size_t out) {
  Operand from = whole(arguments, kSelf);
  const Dims& shape = arguments.shape(kSelf);
  for (const SliceSpec& spec : kSpecs(arguments)) {
    const size_t axis = normalize_axis(spec.axis, shape.size());
    const Range range(shape[axis], spec.start, spec.end, spec.step);
    if (range.count == 0) return {};
    from.offset += range.start * from.strides[axis];
    from.strides[axis] = range.count == 1 ? 0 : from.strides[axis] * spec.step;
  }
  return plan_copies({{arguments.shape(out), whole(arguments, out), from}});
}

// ---- One dimension ------------------------------------------------------------------------------

namespace slice {

enum : size_t { kDim = 1, kStart, kEnd, kStep, kOut };

std::vector<SliceSpec> slice_specs(const Arguments& arguments) {
  return {{arguments.integer(kDim), arguments.integer(kStart), arguments.integer(kEnd),
           arguments.integer(kStep)}};
}

const OperatorSpec kSpec{
    "aclnnSlice",
    {input("self"), attribute("dim"), attribute("start"), attribute("end"), attribute("step"),
     output("out")},
    Rules{not_null({kSelf, kOut}), same_dtype(kOut, kSelf), dtype_in(kSelf, kDtypes),
          max_rank({kSelf, kOut}), not_0d(kSelf), axis_of(kDim, kSelf),
          steps_are_positive<slice_specs>(kStep),
          has_shape_of(kOut, sliced_shape<slice_specs>, given({kDim, kStart, kEnd, kStep}))}};

}  // namespace slice

// ---- Several ------------------------------------------------------------------------------------

namespace slice_v2 {

enum : size_t { kStarts = 1, kEnds, kAxes, kSteps, kOut };

std::vector<SliceSpec> slice_specs(const Arguments& arguments) {
  std::vector<SliceSpec> all;
  for (size_t i = 0; i < arguments.int_array(kAxes).size(); ++i) {
    all.push_back({arguments.int_array(kAxes)[i], arguments.int_array(kStarts)[i],
                   arguments.int_array(kEnds)[i], arguments.int_array(kSteps)[i]});
  }
  return all;
}

Rule names_dimensions() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const auto rank = static_cast<int64_t>(arguments.shape(kSelf).size());
    std::vector<bool> is_named(static_cast<size_t>(rank));
    for (const int64_t axis : arguments.int_array(kAxes)) {
      if (axis < -rank || axis >= rank) {
        return fmt::format("{} must be within [{}, {}], but has an entry {}.",
                           arguments.name(kAxes), -rank, rank - 1, axis);
      }
      const size_t place = normalize_axis(axis, is_named.size());
      if (is_named[place]) {
        return fmt::format("{} must name each dimension once, but names dimension {} twice.",
                           arguments.name(kAxes), place);
      }
      is_named[place] = true;
    }
    return std::nullopt;
  });
}

Rule one_for_each_axis(size_t array) {
  return require([array](const Arguments& arguments) -> std::optional<std::string> {
    const size_t expected = arguments.int_array(kAxes).size();
    if (arguments.int_array(array).size() == expected) return std::nullopt;
    return fmt::format("{} must have {} entries, one for each of {}, but is {}.",
                       arguments.name(array), expected, arguments.name(kAxes),
                       to_string(arguments.int_array(array)));
  });
}

const OperatorSpec kSpec{
    "aclnnSliceV2",
    {input("self"), attribute("starts"), attribute("ends"), attribute("axes"), attribute("steps"),
     output("out")},
    Rules{not_null({kSelf, kOut, kStarts, kEnds, kAxes, kSteps}), same_dtype(kOut, kSelf),
          dtype_in(kSelf, kDtypes), max_rank({kSelf, kOut}), not_0d(kSelf), names_dimensions(),
          one_for_each_axis(kStarts), one_for_each_axis(kEnds), one_for_each_axis(kSteps),
          steps_are_positive<slice_specs>(kSteps),
          has_shape_of(kOut, sliced_shape<slice_specs>, given({kStarts, kEnds, kAxes, kSteps}))}};

}  // namespace slice_v2
}  // namespace

ACLGRAD_OPERATOR(aclnnSlice, slice::kSpec, [](const Arguments& arguments) {
  return plan_slice<slice::slice_specs>(arguments, slice::kOut);
})
ACLGRAD_OPERATOR(aclnnSliceV2, slice_v2::kSpec, [](const Arguments& arguments) {
  return plan_slice<slice_v2::slice_specs>(arguments, slice_v2::kOut);
})

}  // namespace aclgrad::ops::slice
