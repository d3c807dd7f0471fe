// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/checkable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
#include "gradcheck/core/problem.h"

namespace aclgrad::gradcheck {

namespace {

constexpr std::size_t kMaxRank = 8;

}  // namespace

void require_checkable(const std::string& what, const Dims& shape) {
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 22;
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; })) {
    throw ValueError(
        fmt::format("{}: shape [{}] has a negative extent", what, fmt::join(shape, ", ")));
  }
  if (shape.size() > kMaxRank) {
    throw ValueError(fmt::format("{} of shape {} has {} dimensions, the most are {}", what,
                                 dims_text(shape), shape.size(), kMaxRank));
  }
  Number elements = 1;  // of huge shapes their number fits no integer
  for (const std::int64_t extent : shape) {
    elements *= static_cast<Number>(std::max<std::int64_t>(extent, 1));
  }
  if (elements <= kMaxElements) return;
  throw ValueError(
      fmt::format("{} of shape {} is too large to be checked, the most are {} elements", what,
                  dims_text(shape), kMaxElements));
}

namespace detail {

void require_range(const std::string& what, Number value, Number low, const char* range) {
  if (std::isfinite(value) && value >= low) return;
  throw ValueError(fmt::format("{} is {}, not {}", what, static_cast<double>(value), range));
}

namespace {

void require_functions(const Operator& op) {
  if (op.inputs.empty()) throw ValueError(op.name + ": it has no inputs");
  if (!op.backward) throw ValueError(op.name + ": there is no backward to check");
  if (!op.forward && !op.scalar) throw ValueError(op.name + ": there is no forward");
  if (differentiable(op).empty()) throw ValueError(op.name + ": no input is differentiable");
}

void require_inputs(const Operator& op) {
  for (const Input& input : op.inputs) {
    const std::string what = fmt::format("{}: input {}", op.name, input.name);
    require_checkable(what, input.shape);
    if (!std::isfinite(input.low) || !std::isfinite(input.high) || !(input.low <= input.high)) {
      throw ValueError(
          fmt::format("{}: `low` is {} and `high` {}, not finite numbers in this order", what,
                      static_cast<double>(input.low), static_cast<double>(input.high)));
    }
    if (input.differentiable && input.dtype && !is_float(*input.dtype)) {
      throw ValueError(fmt::format("{} is {}, which has no gradient: set `differentiable` to false",
                                   what, short_name(*input.dtype)));
    }
    if (op.is_elementwise() && input.shape != op.inputs[0].shape) {
      throw ValueError(fmt::format(
          "{} has shape {} and input {} {}: those of an elementwise "
          "operator have one shape",
          what, dims_text(input.shape), op.inputs[0].name, dims_text(op.inputs[0].shape)));
    }
  }
}

void require_numbers(const Operator& op) {
  const auto require = [&](const char* name, Number value) {
    require_range(fmt::format("{}: `{}`", op.name, name), value, 0, "a finite number of 0 or more");
  };
  require("noise", op.noise);
  require("model.final_ulp_16bit", op.model.final_ulp_16bit);
  require("model.final_ulp", op.model.final_ulp);
  require("model.inner", op.model.inner);
  require("model.terms", op.model.terms);
  require("model.stored", op.model.stored);
  require("model.final_ulp_double", op.model.final_ulp_double.value_or(0));
  for (const std::optional<DType>& dtype : op.gradient_dtypes) {
    if (!dtype || is_float(*dtype)) continue;
    throw DTypeError(fmt::format("{}: `gradient_dtypes` has {}, which is no floating type", op.name,
                                 short_name(*dtype)));
  }
}

void require_options(const Options& options) {
  const auto require_some = [](const char* name, bool any) {
    if (!any) {
      throw ValueError(
          fmt::format("check_operator: `{}` is empty, so that nothing would be checked", name));
    }
  };
  require_some("dtypes", !options.dtypes.empty());
  require_some("layouts", !options.layouts.empty());
  require_range("check_operator: `draws`", options.draws, 1, "a number of 1 or more");
  require_range("check_operator: `ulp_slack`", options.ulp_slack, 0,
                "a finite number of 0 or more");
  for (const DType dtype : options.dtypes) {
    if (is_float(dtype)) continue;
    throw DTypeError(fmt::format("check_operator: `dtypes` has {}, which is no floating type",
                                 short_name(dtype)));
  }
}

}  // namespace

void require_sound(const Operator& op, const Options& options) {
  require_functions(op);
  require_inputs(op);
  require_numbers(op);
  require_options(options);
}

void require_jacobian(const Operator& op, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kMaxPairs = std::size_t{1} << 22;
  if (columns == 0 || rows <= kMaxPairs / columns) return;
  throw ValueError(fmt::format(
      "{}: {} elements of the inputs and {} of the result are too many to be checked, the most "
      "are {} pairs of them: take smaller shapes",
      op.name, rows, columns, kMaxPairs));
}

}  // namespace detail
}  // namespace aclgrad::gradcheck
