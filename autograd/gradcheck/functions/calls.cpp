// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/functions/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "gradcheck/core/problem.h"

namespace aclgrad::gradcheck::detail {
namespace {

constexpr unsigned char kPoison = 0xFF;

// The first two inputs with gradients that could be one array.
std::optional<std::pair<std::size_t, std::size_t>> alike(const FunctionPair& pair) {
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    for (std::size_t i = 0; i < k; ++i) {
      const FunctionArray& a = pair.inputs[i];
      const FunctionArray& b = pair.inputs[k];
      if (is_differentiated(a) && is_differentiated(b) && a.shape == b.shape && a.low == b.low &&
          a.high == b.high && a.symmetric == b.symmetric && !a.consumed && !b.consumed) {
        return std::pair(i, k);
      }
    }
  }
  return std::nullopt;
}

// Where two runs differ by more than rounding, of what was added to other numbers, too: "x, element
// 3: 1 and 2"; "" where none do.
std::string difference(const FunctionPair& pair, const Arrays& a, const Arrays& b,
                       const std::vector<Number>& added_to) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    const std::size_t count = std::min(a[k].values.size(), b[k].values.size());
    const DType dtype = pair.inputs[k].dtype;
    const Number part = dtype == DType::float64 ? 1e-9L : std::max(1e-3L, 4 * roundoff(dtype));
    const Number largest = std::max(Number{1}, largest_of(a[k]));
    const Number sums = added_to.empty() ? 0 : 4 * roundoff(dtype) * added_to[k];
    for (std::size_t i = 0; i < count; ++i) {
      const Number x = a[k].values[i];
      const Number y = b[k].values[i];
      if (!std::isfinite(x) || std::abs(x - y) <= part * largest + sums) continue;
      return fmt::format("the gradient of {}, element {}: {:.9g} and {:.9g}", pair.inputs[k].name,
                         i, static_cast<double>(x), static_cast<double>(y));
    }
  }
  return "";
}

}  // namespace

Finding finding_of(const FunctionPair& pair, const char* check, std::string text,
                   std::string diagnosis) {
  Finding finding;
  finding.check = check;
  finding.operator_name = pair.name;
  const FunctionArray& first = *std::ranges::find_if(pair.inputs, is_differentiated);
  finding.dtype = first.dtype;
  finding.shape = first.shape;
  finding.text = std::move(text);
  finding.diagnosis = std::move(diagnosis);
  return finding;
}

DType narrowest_dtype(const FunctionPair& pair) {
  DType narrowest = DType::float64;
  for (const std::vector<FunctionArray>* arrays : {&pair.inputs, &pair.outputs}) {
    for (const FunctionArray& array : *arrays) {
      if (is_differentiated(array) && roundoff(array.dtype) > roundoff(narrowest)) {
        narrowest = array.dtype;
      }
    }
  }
  return narrowest;
}

Number roundoff(DType dtype) { return ulp(1, dtype) / 2; }

Number largest_of(const Array& array) {
  Number largest = 0;
  for (const Number value : array.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

std::vector<Number> symmetrized(const FunctionArray& array, std::vector<Number> values) {
  if (!array.symmetric) return values;
  const auto n = static_cast<std::size_t>(array.shape[0]);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      values[i * n + k] = values[k * n + i] = (values[i * n + k] + values[k * n + i]) / 2;
    }
  }
  return values;
}

FunctionPoint draw_point(const FunctionPair& pair, std::uint64_t seed) {
  FunctionPoint point;
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    const FunctionArray& input = pair.inputs[k];
    Array array{input.shape, {}};
    for (std::int64_t i = 0; i < count_of(input.shape); ++i) {
      const Number unit = random_unit(seed * 37 + k, static_cast<std::uint64_t>(i));
      const Number value = input.low + (input.high - input.low) * unit;
      array.values.push_back(is_float(input.dtype) ? value : std::round(value));
    }
    array.values = symmetrized(input, std::move(array.values));
    for (Number& value : array.values) {
      value = round_within(value, input.low, input.high, input.dtype);
    }
    point.inputs.push_back(std::move(array));
  }
  for (std::size_t k = 0; k < pair.outputs.size(); ++k) {
    const FunctionArray& output = pair.outputs[k];
    point.upstream.push_back(is_differentiated(output)
                                 ? draw_cotangent(output.shape, output.dtype, seed + 13 * k)
                                 : Array{output.shape, {}});
  }
  return point;
}

void require_untouched(const Guarded& memory, const char* function, const std::string& array) {
  std::string where;
  if (memory.changed_outside(&where) == 0) return;
  throw ForbiddenWrite(fmt::format("{} wrote beside `{}`: {}", function, array, where));
}

namespace {

// Calls the forward or the reference, with arrays of the dtypes that it has of them.
template <class Function>
Arrays call_at(const FunctionPair& pair, const Function& function, const char* name,
               const Arrays& inputs, bool is_exact) {
  const auto dtype_of = [&](const FunctionArray& array) {
    return is_exact ? exact_dtype(pair, array) : array.dtype;
  };
  std::deque<Guarded> memory;
  std::vector<const void*> from;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    memory.emplace_back(dtype_of(pair.inputs[k]), inputs[k], Layout::contiguous, kPoison);
    from.push_back(memory.back().view().data);
  }
  std::vector<std::vector<std::byte>> before;
  for (const Guarded& input : memory) before.push_back(input.bytes());
  std::vector<void*> to;
  for (const FunctionArray& output : pair.outputs) {
    memory.emplace_back(dtype_of(output), output.shape, Layout::contiguous, kPoison);
    to.push_back(memory.back().view().data);
  }
  function(from, to);
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const bool is_input = k < inputs.size();
    const FunctionArray& array = is_input ? pair.inputs[k] : pair.outputs[k - inputs.size()];
    require_untouched(memory[k], name, array.name);
    if (!is_input || memory[k].bytes() == before[k]) continue;
    throw ForbiddenWrite(fmt::format("{} wrote to `{}`", name, array.name));
  }
  Arrays results;
  for (std::size_t k = 0; k < to.size(); ++k) results.push_back(memory[inputs.size() + k].read());
  return results;
}

}  // namespace

Arrays exact_results_at(const FunctionPair& pair, const Arrays& inputs) {
  return pair.reference ? call_at(pair, pair.reference, "the reference", inputs, true)
                        : call_at(pair, pair.forward, "the forward", inputs, false);
}

Arrays results_at(const FunctionPair& pair, const Arrays& inputs) {
  if (pair.forward) return call_at(pair, pair.forward, "the forward", inputs, false);
  Arrays results = exact_results_at(pair, inputs);
  for (std::size_t k = 0; k < results.size(); ++k) {
    for (Number& value : results[k].values) value = round_to(value, pair.outputs[k].dtype);
  }
  return results;
}

Arrays gradients_of(const FunctionPair& pair, const FunctionPoint& point,
                    const FunctionCall& call) {
  std::deque<Guarded> memory;
  std::vector<std::pair<const Guarded*, const std::string*>> names;  // of what lies there
  const auto put = [&](const FunctionArray& of, const Array& array,
                       Layout layout = Layout::contiguous) -> const Guarded& {
    const Guarded& block = memory.emplace_back(of.dtype, array, layout, kPoison);
    names.emplace_back(&block, &of.name);
    return block;
  };
  std::vector<const void*> inputs;
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    inputs.push_back(put(pair.inputs[k], point.inputs[k]).view().data);
  }
  if (const auto twins = alike(pair); call.same_inputs && twins) {
    inputs[twins->second] = inputs[twins->first];
  }
  const Arrays results = call.results != nullptr ? *call.results : results_at(pair, point.inputs);
  std::vector<const void*> outputs;
  std::vector<const Guarded*> output_memory;
  std::vector<const void*> upstream;
  std::vector<const Guarded*> upstream_memory;
  std::vector<std::vector<std::int64_t>> strides;
  for (std::size_t k = 0; k < pair.outputs.size(); ++k) {
    const FunctionArray& output = pair.outputs[k];
    output_memory.push_back(&put(output, results[k]));
    outputs.push_back(output_memory.back()->view().data);
    const Layout layout = output.strided ? call.layout : Layout::contiguous;
    upstream_memory.push_back(is_differentiated(output) ? &put(output, point.upstream[k], layout)
                                                        : nullptr);
    const View view = is_differentiated(output) ? upstream_memory.back()->view() : View{};
    strides.push_back(is_differentiated(output) ? view.strides : std::vector<std::int64_t>());
    upstream.push_back(is_differentiated(output)
                           ? view.data +
                                 static_cast<std::size_t>(view.offset) * bytes_of(view.dtype)
                           : nullptr);
  }
  std::vector<void*> gradients;
  std::vector<const Guarded*> gradient_memory;
  const auto first = std::ranges::find_if(pair.inputs, is_differentiated) - pair.inputs.begin();
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    const FunctionArray& input = pair.inputs[k];
    const bool is_wanted = is_differentiated(input) && call.unwanted != k;
    gradient_memory.push_back(nullptr);
    if (is_wanted) {
      const std::vector<Number> before(point.inputs[k].values.size(),
                                       call.prefilled.empty() ? 0 : call.prefilled[k]);
      gradient_memory.back() =
          input.adds_gradient
              ? &put(input, {input.shape, before})
              : &memory.emplace_back(input.dtype, input.shape, Layout::contiguous, kPoison);
      if (!input.adds_gradient) names.emplace_back(gradient_memory.back(), &input.name);
      if (static_cast<std::ptrdiff_t>(k) == first && call.over_output) {
        gradient_memory.back() = output_memory[*call.over_output];
      }
      if (static_cast<std::ptrdiff_t>(k) == first && call.over_upstream) {
        gradient_memory.back() = upstream_memory[*call.over_upstream];
      }
    }
    gradients.push_back(is_wanted ? gradient_memory.back()->view().data : nullptr);
  }
  if (pair.backward_strided) {
    std::vector<const std::int64_t*> pointers;
    for (const std::vector<std::int64_t>& each : strides) {
      pointers.push_back(each.empty() ? nullptr : each.data());
    }
    pair.backward_strided(inputs, outputs, upstream, pointers, gradients);
  } else {
    pair.backward(inputs, outputs, upstream, gradients);
  }
  for (const auto& [block, array] : names) require_untouched(*block, "the backward", *array);
  for (std::size_t k = 0; k < pair.outputs.size(); ++k) {
    if (upstream[k] == nullptr || call.over_upstream == k || pair.outputs[k].consumed) continue;
    if (upstream_memory[k]->read().values == point.upstream[k].values) continue;
    throw UpstreamWritten(
        fmt::format("the backward wrote to the gradient that arrives at {}", pair.outputs[k].name));
  }
  Arrays found;
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    found.push_back(gradient_memory[k] == nullptr ? Array{pair.inputs[k].shape, {}}
                                                  : gradient_memory[k]->read());
  }
  return found;
}

void check_calls(const FunctionPair& pair, std::uint64_t seed, Report& report) {
  FunctionPoint point = draw_point(pair, seed);
  const auto compare = [&](const FunctionPoint& at, const FunctionCall& call, const char* check,
                           const std::string& what, const char* diagnosis) {
    ++report.checks;
    Arrays other = gradients_of(pair, at, call);
    for (std::size_t k = 0; k < other.size(); ++k) {
      if (!pair.inputs[k].adds_gradient || call.prefilled.empty()) continue;
      for (Number& value : other[k].values) value -= call.prefilled[k];
    }
    const std::string where = difference(pair, gradients_of(pair, at), other, call.prefilled);
    if (!where.empty()) {
      report.findings.push_back(finding_of(pair, check, what + "; " + where, diagnosis));
    }
  };
  if (std::ranges::any_of(pair.inputs, &FunctionArray::adds_gradient)) {
    // Of the gradient's size: beside a smaller number = for += would not be seen, and a larger one
    // would take its digits.
    std::vector<Number> prefilled;
    for (const Array& gradient : gradients_of(pair, point)) {
      prefilled.push_back(std::max(Number{8}, largest_of(gradient)));
    }
    compare(point, {.prefilled = prefilled}, "adding", "the gradient is not added to what is there",
            "the backward: = for +=");
  }
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    if (!is_differentiated(pair.inputs[k]) || !pair.inputs[k].optional) continue;
    compare(point, {.unwanted = k}, "needs-gradient mask",
            fmt::format("other gradients when that of {} is not wanted", pair.inputs[k].name),
            "the backward: it relies on outputs that were not requested");
  }
  for (std::size_t k = 0; k < pair.outputs.size(); ++k) {
    const FunctionArray& output = pair.outputs[k];
    if (output.overwritten) {
      compare(point, {.over_output = k}, "in place",
              fmt::format("other gradients when the first lies over {}", output.name),
              "the backward: it writes before it has read everything");
    }
    if (output.overwritten_gradient) {
      compare(point, {.over_upstream = k}, "in place",
              fmt::format("other gradients when the first lies over that of {}", output.name),
              "the backward: it writes before it has read everything");
    }
    if (!output.strided) continue;
    FunctionPoint expanded = point;
    std::ranges::fill(expanded.upstream[k].values, point.upstream[k].values.front());
    for (const Layout layout : {Layout::transposed, Layout::strided, Layout::broadcast}) {
      compare(layout == Layout::broadcast ? expanded : point, {.layout = layout}, "layout",
              fmt::format("other gradients when that of {} is {}", output.name, to_string(layout)),
              "the backward: strides of the gradient that arrives");
    }
  }
  const auto twins = alike(pair);
  if (!twins) return;
  point.inputs[twins->second] = point.inputs[twins->first];
  compare(point, {.same_inputs = true}, "same input",
          fmt::format("other gradients when {} and {} are one array, than when they are two of the "
                      "same numbers",
                      pair.inputs[twins->first].name, pair.inputs[twins->second].name),
          "the backward: it tells its operands apart by their addresses");
}

}  // namespace aclgrad::gradcheck::detail
