// SPDX-License-Identifier: Apache-2.0
// aclnnExpand, aclnnFlatten: other shapes of the same elements, as copies.
#include "aclnnop/aclnn_expand.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_flatten.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::expand {
namespace {

// ---- Expand -------------------------------------------------------------------------------------

namespace expand {

enum : size_t { kSelf, kSize, kOut };

constexpr size_t kMostEntries = 8;

// The size of dimension d of the result; -1 keeps that of self.
int64_t size_at(const Arguments& arguments, size_t d) {
  const Dims& self = arguments.shape(kSelf);
  const std::vector<int64_t>& size = arguments.int_array(kSize);
  const size_t added = size.size() - self.size();
  return size[d] == -1 && d >= added ? self[d - added] : size[d];
}

Rule fits_self() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& self = arguments.shape(kSelf);
    const std::vector<int64_t>& size = arguments.int_array(kSize);
    bool fits = size.size() >= self.size() && size.size() <= kMostEntries;
    size_t wrong = 0;
    for (size_t d = 0; fits && d < size.size(); ++d) {
      wrong = d;
      const size_t added = size.size() - self.size();
      const int64_t own = d < added ? 1 : self[d - added];
      fits = size_at(arguments, d) >= 0 && (own == 1 || own == size_at(arguments, d));
    }
    if (fits) return std::nullopt;
    if (size.size() < self.size() || size.size() > kMostEntries) {
      return fmt::format("{} must have {} to {} entries for {} {}, but is {}.",
                         arguments.name(kSize), self.size(), kMostEntries, arguments.name(kSelf),
                         to_string(self), to_string(size));
    }
    const size_t added = size.size() - self.size();
    const auto expected = [&](size_t d) -> std::string {
      if (d < added) return "0 or more, as the dimension is new";
      if (self[d - added] == 1) return "0 or more, or -1 for the 1 that is there";
      return fmt::format("{}, or -1 for that", self[d - added]);
    };
    return fmt::format("entry {} of {} {} must be {} for {} {}, but is {}.", wrong,
                       arguments.name(kSize), to_string(size), expected(wrong),
                       arguments.name(kSelf), to_string(self), size[wrong]);
  });
}

Dims expanded_shape(const Arguments& arguments) {
  Dims shape;
  for (size_t d = 0; d < arguments.int_array(kSize).size(); ++d) {
    shape.push_back(size_at(arguments, d));
  }
  return shape;
}

const OperatorSpec kSpec{
    "aclnnExpand",
    {input("self"), attribute("size"), output("out")},
    {not_null({kSelf, kSize, kOut}), dtype_in(kSelf, kAllDtypes), same_dtype(kOut, kSelf),
     max_rank(kSelf), fits_self(), has_shape_of(kOut, expanded_shape, given({kSize}))}};

Plan plan(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kOut);
  if (arguments.empty(kOut)) return {};
  return plan_copies({{shape, whole(arguments, kOut), operand(arguments, kSelf, shape)}});
}

}  // namespace expand

// ---- Flatten ------------------------------------------------------------------------------------

namespace flatten {

enum : size_t { kSelf, kAxis, kOut };

// A dimension that is not there yet counts: all dimensions may be before it.
size_t axis(const Arguments& arguments) {
  const auto rank = static_cast<int64_t>(arguments.shape(kSelf).size());
  const int64_t axis = arguments.integer(kAxis);
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

Rule axis_in_range() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const auto rank = static_cast<int64_t>(arguments.shape(kSelf).size());
    const int64_t axis = arguments.integer(kAxis);
    if (axis >= -rank && axis <= rank) return std::nullopt;
    return fmt::format("{} must be within [{}, {}] for {} {}, but is {}.", arguments.name(kAxis),
                       -rank, rank, arguments.name(kSelf), to_string(arguments.shape(kSelf)), axis);
  });
}

Dims flattened_shape(const Arguments& arguments) {
  Dims shape = {1, 1};
  for (size_t d = 0; d < arguments.shape(kSelf).size(); ++d) {
    int64_t& size = shape[d < axis(arguments) ? 0 : 1];
    size = saturating_product({size, arguments.shape(kSelf)[d]});
  }
  return shape;
}

const OperatorSpec kSpec{
    "aclnnFlatten",
    {input("self"), attribute("axis"), output("out")},
    {not_null({kSelf, kOut}), dtype_in(kSelf, kAllDtypes), same_dtype(kOut, kSelf), max_rank(kSelf),
     axis_in_range(), has_shape_of(kOut, flattened_shape, given({kAxis}))}};

// Out in the shape of self: each of its two dimensions is several.
Plan plan(const Arguments& arguments) {
  const Dims& self = arguments.shape(kSelf);
  if (arguments.empty(kSelf)) return {};
  Operand out = whole(arguments, kOut);
  const Dims strides = std::exchange(out.strides, Dims::filled(self.size(), 0));
  Dims steps = strides;
  for (size_t d = self.size(); d-- > 0;) {
    int64_t& step = steps[d < axis(arguments) ? 0 : 1];
    out.strides[d] = self[d] == 1 ? 0 : step;
    step *= self[d];
  }
  return plan_copies({{self, out, whole(arguments, kSelf)}});
}

}  // namespace flatten
}  // namespace

ACLGRAD_OPERATOR(aclnnExpand, expand::kSpec, expand::plan)
ACLGRAD_OPERATOR(aclnnFlatten, flatten::kSpec, flatten::plan)

}  // namespace aclgrad::ops::expand
