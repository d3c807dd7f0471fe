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

void require_functions(const Candidate& candidate) {
  const std::string& name = candidate.name();
  const contract::Operator& forward = candidate.forward.op();
  if (candidate.inputs().empty()) throw ValueError(name + ": it has no inputs");
  if (!candidate.function) throw ValueError(name + ": there is no backward to check");
  if (!forward.results.reference && !forward.results.formula)
    throw ValueError(name + ": there is no forward");
  if (differentiable(candidate).empty()) throw ValueError(name + ": no input is differentiable");
}

// A formula takes tensors that are broadcast to one shape.
void require_one_shape(const std::string& what, const Dims& shape, const Dims& first) {
  for (std::size_t d = 1; d <= std::min(shape.size(), first.size()); ++d) {
    const std::int64_t a = shape[shape.size() - d];
    const std::int64_t b = first[first.size() - d];
    if (a == b || a == 1 || b == 1) continue;
    throw ValueError(fmt::format(
        "{} has shape {} and the first one {}: those of a formula must broadcast to one shape",
        what, dims_text(shape), dims_text(first)));
  }
}

void require_inputs(const Candidate& candidate) {
  const contract::Operator& forward = candidate.forward.op();
  for (const contract::Parameter* input : candidate.inputs()) {
    const contract::TensorSpec& tensor = *input->tensor();
    const std::string what = fmt::format("{}: input {}", candidate.name(), input->name);
    require_checkable(what, tensor.shape);
    if (!std::isfinite(tensor.low) || !std::isfinite(tensor.high) || !(tensor.low <= tensor.high)) {
      throw ValueError(
          fmt::format("{}: `low` is {} and `high` {}, not finite numbers in this order", what,
                      static_cast<double>(tensor.low), static_cast<double>(tensor.high)));
    }
    if (!forward.results.reference) require_one_shape(what, tensor.shape, candidate.shape());
  }
}

void require_numbers(const Candidate& candidate) {
  const auto require = [&](const char* name, Number value) {
    require_range(fmt::format("{}: `{}`", candidate.name(), name), value, 0,
                  "a finite number of 0 or more");
  };
  require("noise", candidate.noise);
  require("bound.of_16_bits", candidate.bound.of_16_bits);
  require("bound.of_float", candidate.bound.of_float);
  require("bound.inner", candidate.bound.inner);
  require("bound.terms", candidate.bound.terms);
  require("bound.stored", candidate.bound.stored);
  require("bound.of_double", candidate.bound.of_double.value_or(0));
  if (!candidate.backward) return;
  for (const contract::Parameter* gradient : outputs_of(*candidate.backward)) {
    const std::optional<aclDataType> dtype = gradient->tensor()->dtype;
    if (!dtype || contract::is_float(*dtype)) continue;
    throw DTypeError(fmt::format("{}: {} is {}, which is no floating type", candidate.name(),
                                 gradient->name, short_name(dtype_of(*dtype))));
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

void require_sound(const Candidate& candidate, const Options& options) {
  require_functions(candidate);
  require_inputs(candidate);
  require_numbers(candidate);
  require_options(options);
}

void require_jacobian(const Candidate& candidate, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kMaxPairs = std::size_t{1} << 22;
  if (columns == 0 || rows <= kMaxPairs / columns) return;
  throw ValueError(fmt::format(
      "{}: {} elements of the inputs and {} of the result are too many to be checked, the most "
      "are {} pairs of them: take smaller shapes",
      candidate.name(), rows, columns, kMaxPairs));
}

}  // namespace detail
}  // namespace aclgrad::gradcheck
