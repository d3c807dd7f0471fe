// SPDX-License-Identifier: Apache-2.0
// aclnnMaskedSelect, aclnnInplaceMaskedScatter.
#include "aclnnop/aclnn_masked_select.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_masked_scatter.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::masked_select {
namespace {
namespace by_mask {

constexpr DtypeSet kMasks{ACL_BOOL, ACL_UINT8};

// The first `count` positions have the places of a mask's true elements, which `shape` has.
Places places(const Arguments& arguments, size_t mask, const Dims& shape, int64_t count,
              const char* taken_from = nullptr) {
  IndexTerm term(arguments, mask, Elements(arguments, mask, shape), count_elements(shape), 1);
  term.taken_from = taken_from;
  return index_places({count}, {term}, {}, /*may_lack=*/true);
}

// Elements by their numbers, of a tensor broadcast to `shape`.
Slices elements(const Arguments& arguments, size_t tensor, const Dims& shape) {
  return slices_of(arguments, tensor, shape,
                   broadcast_strides(arguments.shape(tensor), arguments.strides(tensor), shape),
                   {});
}

namespace selecting {

enum : size_t { kSelf, kMask, kOut };

Dims shape(const Arguments& arguments) { return broadcast_shape(arguments, {kSelf, kMask}); }

const OperatorSpec kSpec{
    "aclnnMaskedSelect",
    {input("self"), input("mask"), output("out")},
    Rules{not_null({kSelf, kMask, kOut}), dtype_in(kSelf, kAllDtypes), dtype_in(kMask, kMasks),
          same_dtype(kOut, kSelf), max_rank({kSelf, kMask}), broadcastable(kSelf, kMask),
          require([](const Arguments& arguments) -> std::optional<std::string> {
            const Dims common = shape(arguments), room{count_elements(common)};
            if (arguments.shape(kOut) == room) return std::nullopt;
            return fmt::format(
                "tensor {} must have size {}, room for all elements of {} {} and {} {}, as the "
                "number "
                "of "
                "true ones is known only after the run, but is {}.",
                arguments.name(kOut), to_string(room), arguments.name(kSelf),
                to_string(arguments.shape(kSelf)), arguments.name(kMask),
                to_string(arguments.shape(kMask)), to_string(arguments.shape(kOut)));
          })}};

Plan plan_selection(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Dims common = shape(arguments);
  const ResultShape result(arguments.tensor(kOut));
  return plan_taken(places(arguments, kMask, common, count_elements(common)),
                    elements(arguments, kSelf, common), Slices(arguments, kOut, {}),
                    [result](int64_t count) { result.set({count}); });
}

Plan plan(const Arguments& arguments) {
  Plan selection = plan_selection(arguments);
  selection.is_repeatable = false;
  return selection;
}

}  // namespace selecting

namespace scattering {

enum : size_t { kSelf, kMask, kSource };

const OperatorSpec kSpec{"aclnnInplaceMaskedScatter",
                         {in_out("selfRef"), input("mask"), input("source")},
                         Rules{not_null({kSelf, kMask, kSource}), dtype_in(kSelf, kAllDtypes),
                               dtype_in(kMask, kMasks), same_dtype(kSource, kSelf),
                               max_rank({kSelf, kMask, kSource}), broadcasts_to(kMask, kSelf)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const Dims& self = arguments.shape(kSelf);
  const int64_t count = std::min(count_elements(self), count_elements(arguments.shape(kSource)));
  return plan_put(places(arguments, kMask, self, count, arguments.name(kSource)),
                  Slices(arguments, kSource, {}), Slices(arguments, kSelf, {}));
}

}  // namespace scattering
}  // namespace by_mask
}  // namespace

ACLGRAD_OPERATOR(aclnnMaskedSelect, by_mask::selecting::kSpec, by_mask::selecting::plan)
ACLGRAD_OPERATOR(aclnnInplaceMaskedScatter, by_mask::scattering::kSpec, by_mask::scattering::plan)

}  // namespace aclgrad::ops::masked_select
