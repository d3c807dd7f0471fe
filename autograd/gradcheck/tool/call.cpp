// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "gradcheck/core/problem.h"
#include "gradcheck/tool/chain.h"

namespace aclgrad::gradcheck {
namespace {

constexpr unsigned char kUnwritten = 0xA5;
constexpr aclnnStatus kNotRun = -1;  // of a phase one that went well, whose executor is not wanted

// A contiguous tensor that begins some elements into its storage.
View moved(View view, const Dims& shape, std::int64_t shift) {
  view = reshaped(view, shape);
  view.offset = shift;
  return view;
}

// All tensors of a call, with their memory.
struct Tensors {
  std::deque<Guarded> memory = {};
  std::vector<View> inputs = {};
  std::vector<View> outputs = {};

  Tensors(const contract::Arguments& arguments, DType dtype, const Arrays& given, const How& how,
          bool one_shape) {
    for (const std::size_t place : places_of_tensors(arguments)) {
      const contract::TensorSpec& tensor = *arguments.parameters()[place].tensor();
      const std::size_t i = inputs.size();
      const bool is_input = tensor.role != contract::Role::kOutput;
      const Dims& shape = is_input ? given[i].shape : one_shape ? given[0].shape : tensor.shape;
      const DType own = detail::stored_dtype(tensor, dtype);
      if (how.shift == 0) {
        const Guarded& whole = is_input ? memory.emplace_back(own, given[i], how.layout, kUnwritten)
                                        : memory.emplace_back(own, shape, how.layout, kUnwritten);
        (is_input ? inputs : outputs).push_back(whole.view());
        continue;
      }
      const Dims room = {count_of(shape) + how.shift};
      const View view = moved(memory.emplace_back(own, room, Layout::contiguous, kUnwritten).view(),
                              shape, how.shift);
      for (std::size_t e = 0; is_input && e < given[i].values.size(); ++e) {
        view.set(static_cast<std::int64_t>(e), given[i].values[e]);
      }
      (is_input ? inputs : outputs).push_back(view);
    }
  }
};

// FLOAT, or the first dtype that there is.
DType asked_dtype(const contract::Operator& op) {
  const contract::DTypes dtypes = table_dtypes_of(op);
  const bool takes_float = dtypes.empty() || std::ranges::count(dtypes, ACL_FLOAT) > 0;
  return takes_float ? DType::float32 : dtype_of(dtypes.front());
}

}  // namespace

Outcome call(Library& library, const BoundCall& bound, DType dtype, const Arrays& inputs,
             const How& how, bool one_shape) {
  Tensors tensors(bound.arguments, dtype, inputs, how, one_shape);
  Outcome outcome;
  outcome.failure = library.run(bound.api(), bound.plan,
                                {.inputs = tensors.inputs,
                                 .outputs = tensors.outputs,
                                 .threads = how.threads,
                                 .replayed = how.replayed});
  for (const View& view : tensors.outputs) {
    Array& result = outcome.results.emplace_back(Array{view.shape, {}});
    for (std::int64_t e = 0; e < view.count(); ++e) result.values.push_back(view.get(e));
  }
  return outcome;
}

std::string refusal_of(Library& library, const BoundCall& bound, DType dtype, Layout layout) {
  Arrays zeros;
  for (const contract::Parameter* input : inputs_of(bound.arguments)) {
    const Dims& shape = input->tensor()->shape;
    zeros.push_back({shape, std::vector<Number>(static_cast<std::size_t>(count_of(shape)), 0)});
  }
  const Tensors tensors(bound.arguments, dtype, zeros, {.layout = layout}, false);
  const PlanFunction refuse = [&](auto on_device, auto* size, auto** executor) {
    const aclnnStatus status = bound.plan(on_device, size, executor);
    if (status == 0) library.destroy(*executor);
    return status == 0 ? kNotRun : status;
  };
  const std::string failure = library.run(bound.api(), refuse, {tensors.inputs, tensors.outputs});
  if (!library.refused()) return "";
  const std::size_t title = failure.find("): ");  // behind process, time and code
  return title == std::string::npos ? failure : failure.substr(title + 3);
}

std::vector<View> tensors_near_0(const contract::Arguments& arguments,
                                 std::deque<Guarded>& memory) {
  const DType dtype = asked_dtype(arguments.op());
  std::vector<View> views;
  for (const std::size_t place : places_of_tensors(arguments)) {
    const contract::TensorSpec& tensor = *arguments.parameters()[place].tensor();
    const View view = memory
                          .emplace_back(detail::stored_dtype(tensor, dtype), tensor.shape,
                                        Layout::contiguous, static_cast<unsigned char>(0))
                          .view();
    views.push_back(view);
    if (tensor.elements.empty() && !contract::is_whole(acl_dtype(view.dtype))) continue;
    for (std::int64_t i = 0; i < view.count(); ++i) {
      view.set(i, tensor.elements.empty() ? std::clamp<Number>(0, tensor.low, tensor.high)
                                          : tensor.drawn(static_cast<std::size_t>(i), 0));
    }
  }
  return views;
}

// How far a value is off, in units of the last place or, for integers, in ones.
double distance(Number actual, Number right, Number scale, DType dtype) {
  if (actual == right || (std::isnan(actual) && std::isnan(right))) return 0;
  if (is_float(dtype) && actual == round_to(right, dtype)) {
    return std::isfinite(actual)
               ? static_cast<double>(std::abs(actual - right) /
                                     ulp(std::max(std::abs(right), std::abs(scale)), dtype))
               : 0;
  }
  if (!std::isfinite(actual) || std::isnan(right)) return std::numeric_limits<double>::infinity();
  const Number unit =
      is_float(dtype) ? ulp(std::max(std::abs(right), std::abs(scale)), dtype) : Number{1};
  return static_cast<double>(std::abs(actual - right) / unit);
}

std::string command_of(const Target& target, DType dtype, const char* checks) {
  const Candidate& candidate = target.candidate;
  std::string command =
      fmt::format("{} --check {} --dtype {}", candidate.reproduce, checks, short_name(dtype));
  if (candidate.is_elementwise() || candidate.inputs().empty()) return command;
  const Dims shape = candidate.command_shape.value_or(candidate.shape());
  return command + " --shape " + (shape.empty() ? "0d" : dims_text(shape));
}

}  // namespace aclgrad::gradcheck
