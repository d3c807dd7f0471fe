// SPDX-License-Identifier: Apache-2.0
// aclnnRepeat.
#include "aclnnop/aclnn_repeat.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/soc.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::repeat {
namespace {

enum : size_t { kSelf, kRepeats, kOut };

constexpr DtypeSet kDtypesOf910{ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,      ACL_DOUBLE,    ACL_INT8,
                                ACL_INT16,  ACL_INT32,   ACL_INT64,     ACL_UINT8,     ACL_UINT32,
                                ACL_UINT64, ACL_BOOL,    ACL_COMPLEX64, ACL_COMPLEX128};

Rule dtype_known(size_t tensor) {
  return [tensor](const Arguments& arguments) {
    const bool on_910 = current_soc() == Soc::kAscend910;
    return dtype_in(tensor, on_910 ? kDtypesOf910 : kAllDtypesAndBf16)(arguments);
  };
}

Rule one_for_each_dimension() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& repeats = arguments.int_array(kRepeats);
    const size_t rank = arguments.shape(kSelf).size();
    if (repeats.size() >= rank && repeats.size() <= 8) return std::nullopt;
    return fmt::format("{} must have at most 8 entries, and {} or more for {} {}, but is {}.",
                       arguments.name(kRepeats), rank, arguments.name(kSelf),
                       to_string(arguments.shape(kSelf)), to_string(repeats));
  });
}

Rule none_is_negative() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& repeats = arguments.int_array(kRepeats);
    if (std::none_of(repeats.begin(), repeats.end(), [](int64_t each) { return each < 0; })) {
      return std::nullopt;
    }
    return fmt::format("{} must not be negative, but is {}.", arguments.name(kRepeats),
                       to_string(repeats));
  });
}

bool repeats_something(const Arguments& arguments) {
  const std::vector<int64_t>& repeats = arguments.int_array(kRepeats);
  return !arguments.empty(kSelf) && std::find(repeats.begin(), repeats.end(), 0) == repeats.end();
}

Dims tiled_shape(const Arguments& arguments) {
  const std::vector<int64_t>& repeats = arguments.int_array(kRepeats);
  const Dims& self = arguments.shape(kSelf);
  Dims shape;
  for (size_t i = 0; i < repeats.size(); ++i) {
    const size_t added = repeats.size() - self.size();
    shape.push_back(i < added ? repeats[i] : saturating_product({repeats[i], self[i - added]}));
  }
  return shape;
}

const OperatorSpec kRepeat{
    "aclnnRepeat",
    {input("self"), attribute("repeats"), output("out")},
    {not_null({kSelf, kRepeats, kOut}), dtype_known(kSelf), dtype_known(kOut),
     same_dtype(kOut, kSelf), one_for_each_dimension(), none_is_negative(), max_rank(kOut),
     when(repeats_something, has_shape_of(kOut, tiled_shape, given({kRepeats})))}};

// Every dimension as two: which copy, and where in it.
Plan plan_repeat(const Arguments& arguments) {
  if (!repeats_something(arguments)) return {};
  const Operand self = whole(arguments, kSelf);
  const Operand out = whole(arguments, kOut);
  const std::vector<int64_t>& repeats = arguments.int_array(kRepeats);
  const size_t added = repeats.size() - self.strides.size();
  ViewCopy copy{{}, out, self};
  copy.to.strides.clear();
  copy.from.strides.clear();
  for (size_t i = 0; i < repeats.size(); ++i) {
    const int64_t size = i < added ? 1 : arguments.shape(kSelf)[i - added];
    copy.shape.push_back(repeats[i]);
    copy.to.strides.push_back(repeats[i] == 1 ? 0 : size * out.strides[i]);
    copy.from.strides.push_back(0);
    if (i < added) continue;
    copy.shape.push_back(size);
    copy.to.strides.push_back(out.strides[i]);
    copy.from.strides.push_back(self.strides[i - added]);
  }
  return plan_copies({copy});
}

}  // namespace

ACLGRAD_OPERATOR(aclnnRepeat, kRepeat, plan_repeat)

}  // namespace aclgrad::ops::repeat
