// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "aclgrad_ext.h"
#include "ops/meta/objects.h"
#include "ops/meta/soc.h"

namespace aclgrad::ops {
namespace {

template <class... Parts>
CheckResult invalid(fmt::format_string<Parts...> format, Parts&&... parts) {
  return {kInvalidParameter, fmt::format(format, std::forward<Parts>(parts)...)};
}

struct Handle {
  const void* pointer;
  aclgradHandleKind kind;
  const char* type;
};

// The handle that an argument carries; a text is no handle and has no kind to look up.
Handle handle_of(const Argument& argument) {
  if (argument.tensor_list() != nullptr) {
    return {argument.tensor_list(), ACLGRAD_HANDLE_TENSOR_LIST, "aclTensorList"};
  }
  if (argument.scalar() != nullptr) return {argument.scalar(), ACLGRAD_HANDLE_SCALAR, "aclScalar"};
  if (argument.scalar_list() != nullptr) {
    return {argument.scalar_list(), ACLGRAD_HANDLE_SCALAR_LIST, "aclScalarList"};
  }
  if (argument.int_array() != nullptr) {
    return {argument.int_array(), ACLGRAD_HANDLE_INT_ARRAY, "aclIntArray"};
  }
  if (argument.bool_array() != nullptr) {
    return {argument.bool_array(), ACLGRAD_HANDLE_BOOL_ARRAY, "aclBoolArray"};
  }
  return {argument.tensor(), ACLGRAD_HANDLE_TENSOR, "aclTensor"};
}

CheckResult check_live(const Arguments& arguments, size_t i) {
  if (arguments[i].text() != nullptr) return {};
  const Handle handle = handle_of(arguments[i]);
  if (aclgradHandleCheck(handle.pointer, handle.kind) != 0) return {};
  CheckResult result = invalid("argument {} ({}) is not a live {}, expected a handle in use.",
                               arguments.name(i), handle.pointer, handle.type);
  result.cause = kDestroyed;
  return result;
}

// Why a dtype may be refused that other products accept.
std::string product_cause(aclDataType dtype) {
  if (dtype != ACL_BF16 || is_a2_or_later(current_soc())) return {};
  return fmt::format("{} does not know DT_BF16; Atlas A2, A3 and 950 do.", aclrtGetSocName());
}

}  // namespace

std::string to_string(const Dims& shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

size_t normalize_axis(int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(std::max<size_t>(rank, 1));
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

Rule not_null(std::initializer_list<size_t> parameters) {
  return [list = std::vector<size_t>(parameters)](const Arguments& arguments) -> CheckResult {
    for (size_t i : list) {
      if (!arguments.given(i)) {
        return {
            kNullPointer,
            fmt::format("argument {} must not be null, but got a null pointer.", arguments.name(i)),
            "It was never created, or its creation failed."};
      }
    }
    for (size_t i : list) {
      if (CheckResult result = check_live(arguments, i); result.status != OK) return result;
    }
    return {};
  };
}

Rule all_members(size_t list, std::function<Rule(size_t)> rule) {
  return [list, rule = std::move(rule)](const Arguments& arguments) {
    const auto [first, count] = arguments.members(list);
    for (size_t i = first; i < first + count; ++i) {
      if (CheckResult result = rule(i)(arguments); result.status != OK) return result;
    }
    return CheckResult{};
  };
}

Rule live_if_given(size_t parameter) {
  return [parameter](const Arguments& arguments) {
    return arguments.given(parameter) ? check_live(arguments, parameter) : CheckResult{};
  };
}

Rule if_given(size_t parameter, Rule rule) {
  return when([parameter](const Arguments& arguments) { return arguments.given(parameter); },
              std::move(rule));
}

Rule when(std::function<bool(const Arguments&)> condition, Rule rule) {
  return [condition = std::move(condition), rule = std::move(rule)](const Arguments& arguments) {
    return condition(arguments) ? rule(arguments) : CheckResult{};
  };
}

Rules when(const std::function<bool(const Arguments&)>& condition, const Rules& rules) {
  std::vector<Rule> conditional;
  for (const Rule& rule : rules) conditional.push_back(when(condition, rule));
  return conditional;
}

Rule with_status(aclnnStatus status, Rule rule) {
  return [status, rule = std::move(rule)](const Arguments& arguments) {
    CheckResult result = rule(arguments);
    if (result.status != OK) result.status = status;
    return result;
  };
}

Rule dtype_in(size_t parameter, const DtypeSet& set) {
  return [parameter, set](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(parameter)) return {};
    const bool is_tensor = arguments[parameter].tensor() != nullptr;
    const aclDataType dtype =
        is_tensor ? arguments.dtype(parameter) : arguments.scalar(parameter).dtype;
    if (set.contains(dtype)) return {};
    CheckResult result = invalid("{} {} is not implemented for {}, expected a dtype of {}.",
                                 is_tensor ? "tensor" : "scalar", arguments.name(parameter),
                                 dtype_name(dtype), set.to_string());
    result.cause = product_cause(dtype);
    return result;
  };
}

Rule attribute_dtype_in(size_t attribute, const DtypeSet& set) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const auto dtype = static_cast<aclDataType>(arguments.integer(attribute));
    if (set.contains(dtype)) return std::nullopt;
    return fmt::format("{} {} is not supported, expected a dtype of {}.", arguments.name(attribute),
                       dtype_name(dtype), set.to_string());
  });
}

Rule same_dtype(size_t tensor, size_t reference) {
  return [tensor, reference](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    if (arguments.dtype(tensor) == arguments.dtype(reference)) return {};
    return invalid("tensors {} and {} must have the same dtype, but {} has {} and {} has {}.",
                   arguments.name(reference), arguments.name(tensor), arguments.name(reference),
                   dtype_name(arguments.dtype(reference)), arguments.name(tensor),
                   dtype_name(arguments.dtype(tensor)));
  };
}

Rule has_dtype(size_t tensor, std::function<aclDataType(const Arguments&)> expected) {
  return [tensor, expected](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    const aclDataType dtype = arguments.dtype(tensor);
    if (dtype == expected(arguments)) return {};
    return invalid("tensor {} has dtype {}, expected {} beside the others.", arguments.name(tensor),
                   dtype_name(dtype), dtype_name(expected(arguments)));
  };
}

Rule can_cast_tensor(size_t from, size_t to) {
  return [from, to](const Arguments& arguments) -> CheckResult {
    if (can_cast(arguments.dtype(from), arguments.dtype(to))) return {};
    return invalid(
        "a result of {}'s dtype {} cannot be cast to {}, the dtype of {}; expected one "
        "that it can be cast to.",
        arguments.name(from), dtype_name(arguments.dtype(from)), dtype_name(arguments.dtype(to)),
        arguments.name(to));
  };
}

Rule scalar_castable_to_float(size_t scalar) {
  return [scalar](const Arguments& arguments) -> CheckResult {
    const aclDataType dtype = arguments.scalar(scalar).dtype;
    if (can_cast(dtype, ACL_FLOAT)) return {};
    return invalid("scalar {} of dtype {} cannot be cast to DT_FLOAT, expected a real dtype.",
                   arguments.name(scalar), dtype_name(dtype));
  };
}

Rule promotable(size_t a, size_t b) {
  return [a, b](const Arguments& arguments) -> CheckResult {
    if (promote_types(arguments.dtype(a), arguments.dtype(b))) return {};
    return invalid("{} ({}) and {} ({}) have no common type, expected dtypes that promote.",
                   arguments.name(a), dtype_name(arguments.dtype(a)), arguments.name(b),
                   dtype_name(arguments.dtype(b)));
  };
}

Rule no_private_format(size_t tensor) {
  return [tensor](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    const aclFormat format = arguments.tensor(tensor).format;
    if (!is_private_format(format)) return {};
    return invalid("tensor {} must not be in a private format, but its format is {}, expected ND.",
                   arguments.name(tensor), static_cast<int>(format));
  };
}

Rule same_format(size_t tensor, size_t reference) {
  return [=](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    const int expected = arguments.tensor(reference).format;
    const int format = arguments.tensor(tensor).format;
    if (format == expected) return {};
    return invalid("tensor {} must have the format of {}, {}, but its format is {}.",
                   arguments.name(tensor), arguments.name(reference), expected, format);
  };
}

Rule same_shape(size_t tensor, size_t reference) {
  return [tensor, reference](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    if (arguments.shape(tensor) == arguments.shape(reference)) return {};
    return invalid("tensor {} must have the same size as tensor {}, but {} is {} and {} is {}.",
                   arguments.name(tensor), arguments.name(reference), arguments.name(tensor),
                   to_string(arguments.shape(tensor)), arguments.name(reference),
                   to_string(arguments.shape(reference)));
  };
}

Rule has_shape(size_t tensor, Dims shape) {
  return [tensor, shape](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    if (arguments.shape(tensor) == shape) return {};
    return invalid("tensor {} must have size {}, but is {}.", arguments.name(tensor),
                   to_string(shape), to_string(arguments.shape(tensor)));
  };
}

Rule has_one_element(size_t tensor) {
  return [tensor](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    if (count_elements(arguments.shape(tensor)) == 1) return {};
    return invalid("tensor {} must have one element, but is {}.", arguments.name(tensor),
                   to_string(arguments.shape(tensor)));
  };
}

Rule has_elements(size_t tensor, std::function<int64_t(const Arguments&)> count) {
  return [tensor, count = std::move(count)](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    const int64_t expected = count(arguments);
    int64_t elements = 0;
    if (count_fits(arguments.shape(tensor), elements) && elements == expected) return {};
    return invalid("tensor {} must have {} elements, but is {}.", arguments.name(tensor), expected,
                   to_string(arguments.shape(tensor)));
  };
}

Rule max_rank(size_t tensor, size_t limit) {
  return [tensor, limit](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    const size_t rank = arguments.shape(tensor).size();
    if (rank <= limit) return {};
    return invalid("tensor {} cannot have more than {} dimensions, but has {}.",
                   arguments.name(tensor), limit, rank);
  };
}

Rule not_0d(size_t tensor) {
  return [tensor](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    if (!arguments.shape(tensor).empty()) return {};
    return invalid("tensor {} must have at least 1 dimension, but has 0.", arguments.name(tensor));
  };
}

Rule broadcastable(std::vector<size_t> tensors) {
  return [tensors](const Arguments& arguments) -> CheckResult {
    Dims result = arguments.shape(tensors[0]);
    std::string names = fmt::format("tensor {} {}", arguments.name(tensors[0]), to_string(result));
    for (size_t k = 1; k < tensors.size(); ++k) {
      Dims wider;
      const Dims& shape = arguments.shape(tensors[k]);
      const bool fits = broadcast_shapes(result, shape, wider);
      result = wider;
      names += fmt::format(" and tensor {} {}", arguments.name(tensors[k]), to_string(shape));
      if (fits) continue;
      return invalid(
          "the sizes of {} do not broadcast, expected equal sizes or 1, counted from the last.",
          names);
    }
    int64_t count = 0;
    if (count_fits(result, count)) return {};
    return invalid("{} broadcast to {}, expected fewer than 2^63 elements.", names,
                   to_string(result));
  };
}

Rule broadcasts_to(size_t tensor, size_t reference) {
  return [=](const Arguments& arguments) -> CheckResult {
    if (!arguments.given(tensor)) return {};
    const Dims& shape = arguments.shape(reference);
    if (broadcasts_to(arguments.shape(tensor), shape)) return {};
    return invalid("tensor {} must broadcast to size {} of tensor {}, but is {}.",
                   arguments.name(tensor), to_string(shape), arguments.name(reference),
                   to_string(arguments.shape(tensor)));
  };
}

Dims broadcast_shape(const Arguments& arguments, const std::vector<size_t>& tensors) {
  Dims result;
  for (const size_t tensor : tensors) {
    Dims wider;
    broadcast_shapes(result, arguments.shape(tensor), wider);
    result = wider;
  }
  return result;
}

Rule shape_is_broadcast(size_t out, std::vector<size_t> tensors) {
  return [out, tensors](const Arguments& arguments) -> CheckResult {
    const Dims result = broadcast_shape(arguments, tensors);
    if (arguments.shape(out) == result) return {};
    return invalid("tensor {} must have size {}, but is {}.", arguments.name(out),
                   to_string(result), to_string(arguments.shape(out)));
  };
}

bool on_950(const Arguments&) { return current_soc() == Soc::kAscend950; }
bool before_950(const Arguments& arguments) { return !on_950(arguments); }

Rule integer_between(size_t attribute, int64_t low, int64_t high) {
  return [attribute, low, high](const Arguments& arguments) -> CheckResult {
    const int64_t value = arguments.integer(attribute);
    if (value >= low && value <= high) return {};
    return invalid("{} must be within [{}, {}], but is {}.", arguments.name(attribute), low, high,
                   value);
  };
}

Rule axis_of(size_t attribute, size_t tensor) {
  return [attribute, tensor](const Arguments& arguments) -> CheckResult {
    const auto n = static_cast<int64_t>(std::max<size_t>(arguments.shape(tensor).size(), 1));
    const int64_t axis = arguments.integer(attribute);
    if (axis >= -n && axis < n) return {};
    return invalid("{} must be within [{}, {}] for tensor {} of size {}, but is {}.",
                   arguments.name(attribute), -n, n - 1, arguments.name(tensor),
                   to_string(arguments.shape(tensor)), axis);
  };
}

Rule require(std::function<std::optional<std::string>(const Arguments&)> complaint) {
  return [complaint = std::move(complaint)](const Arguments& arguments) -> CheckResult {
    std::optional<std::string> text = complaint(arguments);
    return text ? CheckResult{kInvalidParameter, *std::move(text)} : CheckResult{};
  };
}

}  // namespace aclgrad::ops
