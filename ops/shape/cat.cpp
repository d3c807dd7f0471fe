// SPDX-License-Identifier: Apache-2.0
// aclnnCat, aclnnStack.
#include "aclnnop/aclnn_cat.h"

#include <fmt/format.h>

#include "aclgrad_ext.h"
#include "aclnnop/aclnn_stack.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::cat {
namespace {

enum : size_t { kTensors, kDim, kOut };

// ---- Of both ------------------------------------------------------------------------------------

// Whether a tensor is left out.
using Skips = bool (*)(const Arguments& arguments, size_t i);

std::vector<size_t> joined(const Arguments& arguments, Skips skips) {
  std::vector<size_t> tensors;
  const auto [first, count] = arguments.members(kTensors);
  for (size_t i = first; i < first + count; ++i) {
    if (!skips(arguments, i)) tensors.push_back(i);
  }
  return tensors;
}

Rule each(Skips skips, std::function<Rule(size_t)> rule) {
  return all_members(kTensors, [=](size_t i) {
    return when([=](const Arguments& arguments) { return !skips(arguments, i); }, rule(i));
  });
}

// The type that all promote to.
std::optional<aclDataType> promoted(const Arguments& arguments, Skips skips) {
  std::optional<aclDataType> dtype;
  for (const size_t i : joined(arguments, skips)) {
    const aclDataType own = arguments.dtype(i);
    dtype = dtype ? promote_types(*dtype, own) : own;
    if (!dtype) break;
  }
  return dtype;
}

Rule promotes(Skips skips) {
  return require([skips](const Arguments& arguments) -> std::optional<std::string> {
    if (promoted(arguments, skips)) return std::nullopt;
    std::string dtypes;
    for (const size_t i : joined(arguments, skips)) {
      dtypes += (dtypes.empty() ? "" : ", ") + dtype_name(arguments.dtype(i));
    }
    return fmt::format("{} must have dtypes with a common one, but has {}.",
                       arguments.name(kTensors), dtypes);
  });
}

Rule converts(Skips skips) {
  return require([skips](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType from = *promoted(arguments, skips);
    if (can_cast(from, arguments.dtype(kOut))) return std::nullopt;
    return fmt::format(
        "{}'s common dtype {} cannot be cast to {}, the dtype of {}; expected one that it can be "
        "cast to.",
        arguments.name(kTensors), dtype_name(from), dtype_name(arguments.dtype(kOut)),
        arguments.name(kOut));
  });
}

// ---- Cat ----------------------------------------------------------------------------------------

namespace cat {

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_INT32, ACL_INT64, ACL_FLOAT16, ACL_INT16, ACL_INT8,
                            ACL_UINT8, ACL_DOUBLE, ACL_COMPLEX64, ACL_BOOL},
                           {ACL_BF16}};
constexpr DtypeSet kDtypesOf950{ACL_FLOAT,  ACL_INT32,  ACL_INT64,     ACL_FLOAT16, ACL_INT16,
                                ACL_INT8,   ACL_UINT8,  ACL_DOUBLE,    ACL_BF16,    ACL_BOOL,
                                ACL_UINT16, ACL_UINT32, ACL_COMPLEX64, ACL_UINT64};

// A tensor of shape [0] joins nothing, whatever the others are.
bool is_skipped(const Arguments& arguments, size_t i) {
  const aclTensor* const tensor = arguments[i].tensor();
  return tensor != nullptr && aclgradHandleCheck(tensor, ACLGRAD_HANDLE_TENSOR) != 0 &&
         tensor->view_shape == Dims{0};
}

// The shape of what is joined; a complaint about a tensor that does not fit.
std::optional<std::string> join(const Arguments& arguments, Dims& shape) {
  const std::vector<size_t> tensors = joined(arguments, is_skipped);
  shape = arguments.shape(tensors[0]);
  const size_t axis = normalize_axis(arguments.integer(kDim), shape.size());
  for (size_t k = 1; k < tensors.size(); ++k) {
    Dims other = arguments.shape(tensors[k]);
    const int64_t size = axis < other.size() ? std::exchange(other[axis], shape[axis]) : 0;
    if (!(other == shape)) {
      return fmt::format("tensor {} {} must have the shape of {} {} but along dimension {}.",
                         arguments.name(tensors[k]), to_string(arguments.shape(tensors[k])),
                         arguments.name(tensors[0]), to_string(arguments.shape(tensors[0])),
                         static_cast<int64_t>(axis));
    }
    shape[axis] = saturating_sum(shape[axis], size);
  }
  return std::nullopt;
}

Dims joined_shape(const Arguments& arguments) {
  Dims shape;
  join(arguments, shape);
  return shape;
}

Rule of_the_first(std::function<Rule(size_t)> rule) {
  return [rule = std::move(rule)](const Arguments& arguments) {
    return rule(joined(arguments, is_skipped)[0])(arguments);
  };
}

Rule same_formats() {
  return of_the_first([](size_t first) -> Rule {
    return [first](const Arguments& arguments) {
      const Rule others = each(is_skipped, [first](size_t i) { return same_format(i, first); });
      const CheckResult result = others(arguments);
      return result.status != OK ? result : same_format(kOut, first)(arguments);
    };
  });
}

Rule tensors_join() {
  return require([](const Arguments& arguments) {
    Dims shape;
    return join(arguments, shape);
  });
}

std::vector<Rule> rules() {
  const auto dtype_known = [](size_t i) { return dtype_in(i, kDtypes, kDtypesOf950); };
  std::vector<Rule> list = {not_null({kTensors})};
  for (Rule& rule :
       std::vector<Rule>{each(is_skipped, [](size_t i) { return not_null({i}); }), not_null({kOut}),
                         each(is_skipped, dtype_known), dtype_known(kOut), promotes(is_skipped),
                         converts(is_skipped), same_formats(),
                         each(is_skipped, [](size_t i) { return max_rank(i); }), max_rank(kOut),
                         each(is_skipped, [](size_t i) { return not_0d(i); }),
                         of_the_first([](size_t first) { return axis_of(kDim, first); }),
                         tensors_join(), has_shape_of(kOut, joined_shape, given({kDim}))}) {
    // Nothing else is looked at where no tensor is left.
    list.push_back(
        when([](const Arguments& arguments) { return !joined(arguments, is_skipped).empty(); },
             std::move(rule)));
  }
  return list;
}

const OperatorSpec kSpec{"aclnnCat", {input("tensors"), attribute("dim"), output("out")}, rules()};

Plan plan(const Arguments& arguments) {
  const std::vector<size_t> tensors = joined(arguments, is_skipped);
  if (tensors.empty()) return {};
  const size_t axis = normalize_axis(arguments.integer(kDim), arguments.shape(kOut).size());
  const std::optional<aclDataType> common = promoted(arguments, is_skipped);
  std::vector<ViewCopy> copies;
  int64_t start = 0;
  for (const size_t i : tensors) {
    Operand to = part_of(arguments, kOut, axis, start);
    to.intermediate_dtype = *common;
    copies.push_back({arguments.shape(i), to, whole(arguments, i)});
    start += arguments.shape(i)[axis];
  }
  return plan_copies(copies);
}

}  // namespace cat

// ---- Stack --------------------------------------------------------------------------------------

namespace stack {

bool skips_none(const Arguments&, size_t) { return false; }

// Null gives another status here.
Rule given_at_all(size_t parameter) {
  return [parameter](const Arguments& arguments) {
    CheckResult result = not_null({parameter})(arguments);
    if (result.status == kNullPointer) result.status = kInnerNullPointer;
    return result;
  };
}

// At least one tensor, and none null.
Rule has_tensors() {
  return [](const Arguments& arguments) -> CheckResult {
    if (arguments.members(kTensors).count == 0) {
      return {kInvalidParameter,
              fmt::format("{} must have a tensor, but has none.", arguments.name(kTensors))};
    }
    return all_members(kTensors, [](size_t i) { return not_null({i}); })(arguments);
  };
}

Dims stacked_shape(const Arguments& arguments) {
  const auto [first, count] = arguments.members(kTensors);
  const Dims& shape = arguments.shape(first);
  const size_t axis = normalize_axis(arguments.integer(kDim), shape.size() + 1);
  Dims result(shape.data(), axis);
  result.push_back(static_cast<int64_t>(count));
  for (size_t d = axis; d < shape.size(); ++d) result.push_back(shape[d]);
  return result;
}

Rule dim_fits() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const auto rank =
        static_cast<int64_t>(arguments.shape(arguments.members(kTensors).first).size());
    const int64_t dim = arguments.integer(kDim);
    if (-rank - 1 <= dim && dim <= rank) return std::nullopt;
    return fmt::format("{} must be within [{}, {}], but is {}.", arguments.name(kDim), -rank - 1,
                       rank, dim);
  });
}

Rule one_shape() {
  return [](const Arguments& arguments) {
    const size_t first = arguments.members(kTensors).first;
    return all_members(kTensors, [first](size_t i) { return same_shape(i, first); })(arguments);
  };
}

const OperatorSpec kSpec{
    "aclnnStack",
    {input("tensors"), attribute("dim"), output("out")},
    {given_at_all(kTensors), given_at_all(kOut), has_tensors(),
     all_members(kTensors, [](size_t i) { return dtype_in(i, kAllDtypes); }),
     dtype_in(kOut, kAllDtypes), promotes(skips_none), converts(skips_none),
     all_members(kTensors, [](size_t i) { return max_rank(i, 7); }), max_rank(kOut), dim_fits(),
     one_shape(), has_shape_of(kOut, stacked_shape, given({kDim}))}};

Plan plan(const Arguments& arguments) {
  const auto [first, count] = arguments.members(kTensors);
  const size_t axis = normalize_axis(arguments.integer(kDim), arguments.shape(kOut).size());
  const std::optional<aclDataType> common = promoted(arguments, skips_none);
  std::vector<ViewCopy> copies;
  for (size_t k = 0; k < count; ++k) {
    Operand to = part_of(arguments, kOut, axis, static_cast<int64_t>(k));
    std::move(to.strides.data() + axis + 1, to.strides.data() + to.strides.size(),
              to.strides.data() + axis);
    to.strides = Dims(to.strides.data(), to.strides.size() - 1);
    to.intermediate_dtype = *common;
    copies.push_back({arguments.shape(first + k), to, whole(arguments, first + k)});
  }
  return plan_copies(copies);
}

}  // namespace stack
}  // namespace

ACLGRAD_OPERATOR(aclnnCat, cat::kSpec, cat::plan)
ACLGRAD_OPERATOR(aclnnStack, stack::kSpec, stack::plan)

}  // namespace aclgrad::ops::cat
