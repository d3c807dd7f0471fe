// SPDX-License-Identifier: Apache-2.0
// aclnnUnique, aclnnUnique2, aclnnUniqueDim, aclnnUniqueConsecutive, aclnnNonzero, aclnnNonzeroV2.
#include "aclnnop/aclnn_unique.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_nonzero_v2.h"
#include "aclnnop/aclnn_unique2.h"
#include "aclnnop/aclnn_unique_consecutive.h"
#include "aclnnop/aclnn_unique_dim.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/ordering/unique_kernel.h"

namespace aclgrad::ops::unique {
namespace {

constexpr size_t kSelf = 0;

// Where a call has its arguments; a flag that it does not have counts as set.
struct Places {
  std::optional<size_t> sorted, dim;
  std::optional<size_t> returns_inverse, returns_counts;
  size_t values;
  size_t inverse;
  std::optional<size_t> counts;
};

constexpr int64_t kNoDim = 1000;

bool is_set(const Arguments& arguments, const std::optional<size_t>& flag) {
  return !flag || arguments.flag(*flag);
}

// The dimension whose slices are compared, if it is not elements.
std::optional<size_t> axis(const Arguments& arguments, const Places& places) {
  if (!places.dim) return std::nullopt;
  const int64_t dim = arguments.integer(*places.dim);
  if (!places.sorted && dim == kNoDim) return std::nullopt;
  return normalize_axis(dim, arguments.shape(kSelf).size());
}

// The shape of what has a number for each element, or slice.
Dims count_shape(const Arguments& arguments, const Places& places) {
  const Dims& self = arguments.shape(kSelf);
  const std::optional<size_t> along = axis(arguments, places);
  if (!along) return {count_elements(self)};
  return {self.empty() ? 1 : self[*along]};
}

Dims inverse_shape(const Arguments& arguments, const Places& places) {
  return axis(arguments, places) ? count_shape(arguments, places) : arguments.shape(kSelf);
}

Rule has_room(size_t tensor, const Places& places, Dims (*shape)(const Arguments&, const Places&)) {
  return [=](const Arguments& arguments) {
    return has_shape(tensor, shape(arguments, places))(arguments);
  };
}

Dims values_shape(const Arguments& arguments, const Places& places) {
  return axis(arguments, places) ? arguments.shape(kSelf) : count_shape(arguments, places);
}

Rules rules(const Places& places) {
  const auto with_inverse = [=](const Arguments& a) { return is_set(a, places.returns_inverse); };
  const auto with_counts = [=](const Arguments& a) { return is_set(a, places.returns_counts); };
  const auto with_dim = [=](const Arguments& a) {
    return places.sorted || a.integer(*places.dim) != kNoDim;
  };
  Rules all{not_null({kSelf, places.values, places.inverse})};
  const auto add = [&all](const Rules& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (places.counts) add(not_null({*places.counts}));
  add({dtype_in(kSelf, kRealNumbersAndBool), same_dtype(places.values, kSelf),
       when(with_inverse, dtype_in(places.inverse, {ACL_INT64}))});
  if (places.counts) add(when(with_counts, dtype_in(*places.counts, {ACL_INT64})));
  add(max_rank(kSelf));
  if (places.dim) add(when(with_dim, axis_of(*places.dim, kSelf)));
  add({has_room(places.values, places, values_shape),
       when(with_inverse, has_room(places.inverse, places, inverse_shape))});
  if (places.counts) add(when(with_counts, has_room(*places.counts, places, count_shape)));
  return all;
}

Plan plan(const Arguments& arguments, const Places& places) {
  UniqueProblem problem{.self = kSelf,
                        .axis = axis(arguments, places),
                        .sorts = places.sorted.has_value(),
                        .values = places.values,
                        .inverse = std::nullopt,
                        .counts = std::nullopt};
  if (is_set(arguments, places.returns_inverse)) problem.inverse = places.inverse;
  if (places.counts && is_set(arguments, places.returns_counts)) problem.counts = places.counts;
  return plan_unique(arguments, problem);
}

constexpr Places kOfElements{.sorted = 1,
                             .dim = {},
                             .returns_inverse = 2,
                             .returns_counts = {},
                             .values = 3,
                             .inverse = 4,
                             .counts = {}};
const OperatorSpec kUnique{"aclnnUnique",
                           {input("self"), attribute("sorted"), attribute("returnInverse"),
                            output("y"), output("yInverse")},
                           rules(kOfElements)};

constexpr Places kCounted{.sorted = 1,
                          .dim = {},
                          .returns_inverse = 2,
                          .returns_counts = 3,
                          .values = 4,
                          .inverse = 5,
                          .counts = 6};
const OperatorSpec kUnique2{
    "aclnnUnique2",
    {input("self"), attribute("sorted"), attribute("returnInverse"), attribute("returnCounts"),
     output("y"), output("yInverse"), output("yCounts")},
    rules(kCounted)};

constexpr Places kOfSlices{.sorted = 1,
                           .dim = 3,
                           .returns_inverse = 2,
                           .returns_counts = {},
                           .values = 4,
                           .inverse = 5,
                           .counts = 6};
const OperatorSpec kUniqueDim{
    "aclnnUniqueDim",
    {input("self"), attribute("sorted"), attribute("returnInverse"), attribute("dim"), output("y"),
     output("yInverse"), output("yCounts")},
    rules(kOfSlices)};

constexpr Places kInARow{.sorted = {},
                         .dim = 3,
                         .returns_inverse = 1,
                         .returns_counts = 2,
                         .values = 4,
                         .inverse = 5,
                         .counts = 6};
const OperatorSpec kUniqueConsecutive{
    "aclnnUniqueConsecutive",
    {input("self"), attribute("returnInverse"), attribute("returnCounts"), attribute("dim"),
     output("y"), output("yInverse"), output("yCounts")},
    rules(kInARow)};

// ---- Not 0 --------------------------------------------------------------------------------------

constexpr size_t kOut = 1;

OperatorSpec nonzero(const char* name, bool by_dimension) {
  return {name,
          {input("self"), output("out")},
          Rules{not_null({kSelf, kOut}), dtype_in(kSelf, kAllDtypes), dtype_in(kOut, {ACL_INT64}),
                max_rank(kSelf),
                require([by_dimension](const Arguments& arguments) -> std::optional<std::string> {
                  const Dims& self = arguments.shape(kSelf);
                  const auto rank = static_cast<int64_t>(self.size());
                  const auto room = [&](int64_t count) {
                    return by_dimension ? Dims{rank, count} : Dims{count, rank};
                  };
                  const int64_t count = count_elements(self);
                  const Dims& out = arguments.shape(kOut);
                  if (out == room(count) || out == room(std::max<int64_t>(count, 1))) {
                    return std::nullopt;
                  }
                  return fmt::format(
                      "tensor {} must have size {}, room for all elements of {} {}, as the number "
                      "of those that are not 0 is known only after the run, but is {}.",
                      arguments.name(kOut), to_string(room(count)), arguments.name(kSelf),
                      to_string(self), to_string(out));
                })}};
}

const OperatorSpec kNonzero = nonzero("aclnnNonzero", false);
const OperatorSpec kNonzeroV2 = nonzero("aclnnNonzeroV2", true);

}  // namespace

ACLGRAD_OPERATOR(aclnnUnique, kUnique,
                 [](const Arguments& arguments) { return plan(arguments, kOfElements); })
ACLGRAD_OPERATOR(aclnnUnique2, kUnique2,
                 [](const Arguments& arguments) { return plan(arguments, kCounted); })
ACLGRAD_OPERATOR(aclnnUniqueDim, kUniqueDim,
                 [](const Arguments& arguments) { return plan(arguments, kOfSlices); })
ACLGRAD_OPERATOR(aclnnUniqueConsecutive, kUniqueConsecutive,
                 [](const Arguments& arguments) { return plan(arguments, kInARow); })
ACLGRAD_OPERATOR(aclnnNonzero, kNonzero, [](const Arguments& arguments) {
  return plan_nonzero(arguments, kSelf, kOut, /*by_dimension=*/false);
})
ACLGRAD_OPERATOR(aclnnNonzeroV2, kNonzeroV2, [](const Arguments& arguments) {
  return plan_nonzero(arguments, kSelf, kOut, /*by_dimension=*/true);
})

}  // namespace aclgrad::ops::unique
